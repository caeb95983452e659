package ops

import (
	"reflect"
	"strings"
	"testing"
)

// What crosses a door is made of package work and of this package only, so that
// there is one Run, one Attempt, one Finding, and no second copy per layer.
func TestTableSpeaksWork(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var check func(op string, typ reflect.Type)
	check = func(op string, typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Slice, reflect.Pointer, reflect.Map:
			check(op, typ.Elem())
		case reflect.Struct:
			if typ.PkgPath() == "time" || seen[typ] {
				return
			}
			seen[typ] = true
			if p := typ.PkgPath(); p != "" && p != "offrun/backend/work" && p != "offrun/backend/ops" {
				t.Errorf("%s: %s does not belong at a door", op, typ)
			}
			for i := range typ.NumField() {
				checkField(t, op, typ, typ.Field(i))
				check(op, typ.Field(i).Type)
			}
		}
	}
	for _, o := range Table {
		in, out := o.Types()
		check(o.Info().Name, in)
		check(o.Info().Name, out)
	}
}

func checkField(t *testing.T, op string, typ reflect.Type, f reflect.StructField) {
	t.Helper()
	if f.Anonymous || f.Name == "Body" {
		return
	}
	if tag := f.Tag.Get("json"); tag == "" || tag != strings.ToLower(tag) {
		t.Errorf("%s: %s.%s has no lower-case json name", op, typ, f.Name)
	}
}

func TestTableRowsAreWhole(t *testing.T) {
	names := map[string]bool{}
	for _, o := range Table {
		r := o.Info()
		route := r.Method + " " + r.Path
		if names[r.Name] || names[route] {
			t.Errorf("%s, %s: listed twice", r.Name, route)
		}
		names[r.Name], names[route] = true, true
		if noun, verb, ok := strings.Cut(r.Name, "."); !ok || noun == "" || verb == "" {
			t.Errorf("%s: not a noun, a dot and a verb", r.Name)
		}
		if !strings.HasSuffix(r.Summary, ".") || r.Command == "" || !strings.HasPrefix(r.Path, "/v1/") {
			t.Errorf("%s: summary %q, command %q, path %q", r.Name, r.Summary, r.Command, r.Path)
		}
		if r.Read && r.Method != "GET" {
			t.Errorf("%s: a row that only reads is a GET", r.Name)
		}
	}
}

// Every wildcard of a path is a field of the input, and every path field a wildcard.
func TestPathsNameFields(t *testing.T) {
	for _, o := range Table {
		r := o.Info()
		in, _ := o.Types()
		var fields []string
		var walk func(reflect.Type)
		walk = func(typ reflect.Type) {
			for i := range typ.NumField() {
				f := typ.Field(i)
				if f.Anonymous {
					walk(f.Type)
				} else if p := f.Tag.Get("path"); p != "" {
					fields = append(fields, "{"+p+"}")
				}
			}
		}
		walk(in)
		for _, f := range fields {
			if !strings.Contains(r.Path, f) {
				t.Errorf("%s: %s is not in %s", r.Name, f, r.Path)
			}
		}
		if n := strings.Count(r.Path, "{"); n != len(fields) {
			t.Errorf("%s: %s has %d wildcards, the input %d", r.Name, r.Path, n, len(fields))
		}
	}
}
