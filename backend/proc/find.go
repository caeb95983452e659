package proc

import (
	"bytes"
	"debug/elf"
	"debug/macho"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"offrun/backend/work"
)

// rosetta runs programs for Intel processors on a Mac with Apple's own.
const rosetta = "/Library/Apple/usr/libexec/oah/libRosettaRuntime"

// Find returns the absolute path of the program called name: name itself if it
// holds a slash, else the first executable of that name in pathList, whose
// entries are separated like those of PATH. Entries that are not absolute are
// passed over.
//
// Find looks into the file, so that what the kernel would refuse is said in
// words: a program for another kind of machine, or one whose interpreter or
// loader is missing. The error is work.Unavailable, with a next step.
func Find(name, pathList string) (string, error) {
	path, err := lookPath(name, pathList)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "", unfit(path, "is not executable").Do("Make it executable with chmod +x.")
	case err != nil:
		return "", work.Errorf(work.Unavailable, "the program %q is not there", name).
			Do("Install it, put its folder on the PATH, or give its full path in the settings.")
	}
	if err := fits(path, pathList); err != nil {
		return "", err
	}
	return path, nil
}

// lookPath finds the file without looking into it. fs.ErrPermission comes with
// the path of the file that would have been it.
func lookPath(name, pathList string) (string, error) {
	if strings.Contains(name, "/") {
		return name, executable(name)
	}
	var refused string
	for _, dir := range filepath.SplitList(pathList) {
		path := filepath.Join(dir, name)
		if name == "" || !filepath.IsAbs(dir) {
			continue
		}
		err := executable(path)
		if err == nil {
			return path, nil
		}
		if errors.Is(err, fs.ErrPermission) && refused == "" {
			refused = path
		}
	}
	if refused != "" {
		return refused, fs.ErrPermission
	}
	return "", fs.ErrNotExist
}

// executable returns nil, fs.ErrPermission for a file that may not be executed,
// or fs.ErrNotExist.
func executable(path string) error {
	st, err := os.Stat(path)
	if err != nil || st.IsDir() {
		return fs.ErrNotExist
	}
	if unix.Access(path, unix.X_OK) != nil {
		return fs.ErrPermission
	}
	return nil
}

// fits returns an error if the kernel would refuse path.
func fits(path, pathList string) error {
	f, err := os.Open(path)
	if err != nil {
		return nil // it may be executable without being readable; the kernel will tell
	}
	defer f.Close()
	head := make([]byte, 512)
	n, _ := io.ReadFull(f, head)
	switch head = head[:n]; {
	case bytes.HasPrefix(head, []byte("#!")):
		return scriptFits(path, string(head), pathList)
	case bytes.HasPrefix(head, []byte(elf.ELFMAG)):
		return elfFits(path, f)
	case isMacho(head):
		return machoFits(path, f)
	case n == 0:
		return unfit(path, "is empty").Do("Install the program again.")
	}
	return nil // something that this system may have been taught to run
}

// scriptFits looks for the interpreter of a script, also behind env.
func scriptFits(path, head, pathList string) error {
	line, _, _ := strings.Cut(head[len("#!"):], "\n")
	words := strings.Fields(line)
	if len(words) == 0 {
		return unfit(path, "names no interpreter in its first line").Do("Install the program again.")
	}
	interpreter := words[0]
	err := executable(interpreter)
	if err == nil && filepath.Base(interpreter) == "env" {
		if interpreter = afterEnv(words[1:]); interpreter != "" {
			_, err = lookPath(interpreter, pathList)
		}
	}
	if err != nil {
		return unfit(path, fmt.Sprintf("is a script for %q, which is not there", interpreter)).
			Do(fmt.Sprintf("Install %q, or put its folder on the PATH.", filepath.Base(interpreter)))
	}
	return nil
}

// afterEnv returns the program that env would start: its first argument that is
// neither a flag nor a variable.
func afterEnv(words []string) string {
	for _, w := range words {
		if !strings.HasPrefix(w, "-") && !strings.Contains(w, "=") {
			return w
		}
	}
	return ""
}

func elfFits(path string, f *os.File) error {
	if runtime.GOOS == "darwin" {
		return otherMachine(path, "a program for Linux")
	}
	x, err := elf.NewFile(f)
	if err != nil {
		return unfit(path, "is damaged").Do("Install the program again.")
	}
	machines := map[string][]elf.Machine{
		"amd64": {elf.EM_X86_64, elf.EM_386},
		"arm64": {elf.EM_AARCH64, elf.EM_ARM},
	}[runtime.GOARCH]
	if machines != nil && !slices.Contains(machines, x.Machine) {
		return otherMachine(path, strings.TrimPrefix(x.Machine.String(), "EM_"))
	}
	for _, p := range x.Progs {
		if p.Type != elf.PT_INTERP {
			continue
		}
		loader, _ := io.ReadAll(p.Open())
		name := string(bytes.TrimRight(loader, "\x00"))
		if executable(name) != nil {
			return unfit(path, fmt.Sprintf("needs the loader %s, which is not there", name)).
				Do("Install the program's build for this system: it was made for another C library.")
		}
	}
	return nil
}

// machos are the first bytes of a Mac's programs: 64 bits, 32 bits, several in one.
var machos = []string{"\xcf\xfa\xed\xfe", "\xce\xfa\xed\xfe", "\xca\xfe\xba\xbe"}

func isMacho(head []byte) bool {
	return len(head) >= 4 && slices.Contains(machos, string(head[:4]))
}

func machoFits(path string, f *os.File) error {
	if runtime.GOOS != "darwin" {
		return otherMachine(path, "a program for macOS")
	}
	var cpus []macho.Cpu
	if fat, err := macho.NewFatFile(f); err == nil {
		for _, arch := range fat.Arches {
			cpus = append(cpus, arch.Cpu)
		}
	} else if x, err := macho.NewFile(f); err == nil {
		cpus = append(cpus, x.Cpu)
	} else {
		return unfit(path, "is damaged").Do("Install the program again.")
	}
	intel := runtime.GOARCH == "amd64" || executable(rosetta) == nil
	if slices.Contains(cpus, macho.CpuArm64) && runtime.GOARCH == "arm64" || slices.Contains(cpus, macho.CpuAmd64) && intel {
		return nil
	}
	return otherMachine(path, fmt.Sprint(cpus))
}

func otherMachine(path, made string) error {
	return unfit(path, fmt.Sprintf("is made for another machine (%s), this one is %s/%s", made, runtime.GOOS, runtime.GOARCH)).
		Do("Install the program's build for this machine.")
}

func unfit(path, what string) *work.Error {
	return work.Errorf(work.Unavailable, "%s %s", path, what)
}
