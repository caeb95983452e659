package proc

import "testing"

func TestMachine(t *testing.T) {
	if n, err := Free(t.TempDir()); n == 0 || err != nil {
		t.Errorf("Free = %d, %v", n, err)
	}
	if _, err := Free("/no/such/folder"); err == nil {
		t.Error("a folder that is not there has free space")
	}
	if n, err := MemoryAvailable(); n < 1<<20 || err != nil {
		t.Errorf("MemoryAvailable = %d, %v", n, err)
	}
}
