package git

import (
	"context"
	"os"
	"regexp"
	"strings"

	"offrun/backend/proc"
)

// A Filter is a driver that .gitattributes names to change files on their way in
// and out of the repository; LFS is one.
type Filter struct {
	Name     string
	Program  string // first word of its command; "" if it is not configured, and does nothing
	Missing  bool   // the program is not there
	Required bool   // git refuses to go on without it
}

// filters returns the drivers that the attributes files of commit name.
func (r Repo) filters(ctx context.Context, commit string) ([]Filter, error) {
	out, err := r.at().with("GIT_LITERAL_PATHSPECS=0").run(ctx, "grep", "--no-color", "-h", "-I", "-E", "-e", "filter=", commit, "--", ":(glob)**/.gitattributes")
	if err != nil && exitCode(err) != 1 {
		return nil, err
	}
	drivers, err := r.at().drivers(ctx)
	if err != nil {
		return nil, err
	}
	var found []Filter
	seen := map[string]bool{}
	for word := range strings.FieldsSeq(string(out)) {
		name, ok := strings.CutPrefix(word, "filter=")
		if !ok || seen[name] {
			continue
		}
		seen[name] = true
		found = append(found, drivers[name].filter(name))
	}
	return found, nil
}

// A driver is the configuration of one filter: setting → value.
type driver map[string]string

// drivers returns all filter drivers that are configured, by name.
func (c call) drivers(ctx context.Context) (map[string]driver, error) {
	out, err := c.run(ctx, "config", "-z", "--get-regexp", `^filter\.`)
	if err != nil && exitCode(err) != 1 {
		return nil, err
	}
	found := map[string]driver{}
	for _, rec := range records(out) {
		key, value, _ := strings.Cut(rec, "\n")
		key = strings.TrimPrefix(key, "filter.")
		dot := strings.LastIndexByte(key, '.')
		if dot < 0 {
			continue
		}
		name, setting := key[:dot], key[dot+1:]
		if found[name] == nil {
			found[name] = driver{}
		}
		found[name][setting] = value
	}
	return found, nil
}

func (d driver) filter(name string) Filter {
	f := Filter{Name: name, Required: d["required"] == "true" || d["required"] == "1" || d["required"] == "yes"}
	for _, setting := range []string{"process", "smudge", "clean"} {
		word, _, _ := strings.Cut(strings.TrimSpace(d[setting]), " ")
		if word == "" {
			continue
		}
		f.Program = word
		if strings.ContainsAny(word, `"'$&|;<>()~`+"`") {
			return f // a shell script: nobody can say before it runs
		}
		_, err := proc.Find(word, os.Getenv("PATH"))
		f.Missing = err != nil
		return f
	}
	return f
}

// filtersOff returns c with every configured filter switched off.
func (c call) filtersOff(ctx context.Context) (call, error) {
	drivers, err := c.drivers(ctx)
	if err != nil {
		return call{}, err
	}
	for name := range drivers {
		c = c.filterOff(name)
	}
	return c, nil
}

// filterOff returns c with one filter switched off.
func (c call) filterOff(name string) call {
	for _, program := range []string{"process", "clean", "smudge"} {
		c = c.set("filter."+name+"."+program, "")
	}
	return c.set("filter."+name+".required", "false")
}

var failedFilter = regexp.MustCompile(`clean filter '(.+)' failed`)

// despite is run for commands that read files of a work tree. A filter that fails
// is switched off and the command started again: what the filter would have changed
// is better taken as it is than not at all. failed names those filters; in is
// standard input, nil for none.
func (c call) despite(ctx context.Context, in []byte, args ...string) (out []byte, failed []string, err error) {
	for range 10 {
		if in != nil {
			c = c.input(in) // anew: git has read the last one to its end
		}
		out, err = c.run(ctx, args...)
		m := failedFilter.FindStringSubmatch(complaint(err))
		if m == nil {
			return out, failed, err
		}
		failed = append(failed, m[1])
		c = c.filterOff(m[1])
	}
	return nil, failed, err
}
