package ops

// Table is in the order in which help shows it.
var Table = []Listed{
	ProjectInit, ProjectAdd, ProjectList, ProjectShow, ProjectTrust, ProjectRemove, ProjectDoctor,
	CardNew, CardList, CardShow,
	MemoryShow, MemoryEdit, MemoryAdd, MemorySearch,
	RunStart, RunList, RunShow, RunCancel, RunRepair,
	AttemptRetry, AttemptSend, AttemptAnswer, AttemptMove, AttemptTurns, AttemptRestore, AttemptLog, AttemptArtifacts,
	RunCompare, AttemptLand, LandingUndo, RunClean,
	AgentList, AgentShow, AgentCheck, AgentAdd,
	AccountList, AccountAdd, AccountLogin, AccountRemove, AccountOrder, AccountRest,
	EventList, BenchShow, BenchStop, BenchReindex,
}
