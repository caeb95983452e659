package proc

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseStat(t *testing.T) {
	boot := time.Unix(1000, 0)
	const numbers = " 5 6 6 0 -1 4194304 97 0 0 0 100 50 25 25 20 0 1 0 300 3133440 394"
	for _, tt := range []struct {
		stat string
		want entry
	}{
		{"42 (cat) R" + numbers, entry{pid: 42, ppid: 5, pgid: 6}},
		{"42 (a b) c\n) Z" + numbers, entry{pid: 42, ppid: 5, pgid: 6, zombie: true}},
		{"42 () ) S 1 1 (x) S" + numbers, entry{pid: 42, ppid: 5, pgid: 6}},
	} {
		tt.want.cpu = 2 * time.Second
		tt.want.started = boot.Add(3 * time.Second)
		got, err := parseStat(tt.stat, boot)
		if err != nil {
			t.Errorf("%q: %v", tt.stat, err)
		}
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(entry{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.stat, diff)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add("42 (cat) R 5 6 6 0 -1 4194304 97 0 0 0 100 50 25 25 20 0 1 0 300 3133440 394")
	f.Add("42 (cat")
	f.Fuzz(func(t *testing.T, stat string) {
		if e, err := parseStat(stat, time.Time{}); err != nil && e != (entry{}) {
			t.Errorf("%v and %v", e, err)
		}
	})
}
