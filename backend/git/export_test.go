package git

// Confirm is what AddWorktree judges its outcome by.
var Confirm = Repo.confirm
