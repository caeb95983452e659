package door

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/cli/screen"
	"offrun/backend/work"
)

// What a bench says when it cannot start comes back from its log as it was.
func TestReadError(t *testing.T) {
	d := New(Options{Code: func(int) work.Code { return work.Unavailable }})
	e := work.Errorf(work.Unavailable, "the data folder cannot be written").Do("Make it writable.")
	e.List = []string{"/data"}
	log := "time=… level=INFO msg=before\n" + screen.Error(work.Errorf(work.Busy, "an earlier one")) + "time=… msg=then\n" + screen.Error(e)
	if diff := cmp.Diff(e, d.readError(log, 7)); diff != "" {
		t.Errorf("readError (-want +got):\n%s", diff)
	}
	if got := d.readError("panic: nothing of ours\n", 2); got != nil {
		t.Errorf("readError of a log without one = %v", got)
	}
}
