package ops

// Table is in the order in which help shows it.
var Table = []Listed{
	ProjectInit, ProjectAdd, ProjectList, ProjectShow, ProjectTrust, ProjectRemove, ProjectDoctor,
	CardNew, CardList, CardShow,
	RunStart, RunList, RunShow, RunCancel, RunRepair,
	AttemptRetry, AttemptSend, AttemptLog, AttemptArtifacts,
	RunCompare, AttemptLand, LandingUndo, RunClean,
	EventList, BenchShow, BenchStop, BenchReindex,
}
