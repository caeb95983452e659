package agent

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMembers(t *testing.T) {
	for _, tt := range []struct {
		raw  string
		want []string // key, value, key, value …
	}{
		{`{}`, nil},
		{` { } `, nil},
		{`{"a":1}`, []string{"a", "1"}},
		{` {"a" : true , "b":[1,{"c":"}"}], "d": "x" }`, []string{"a", "true", "b", `[1,{"c":"}"}]`, "d", `"x"`}},
		{`{"a":"\"","b\\":"\\","c":"\\\"{"}`, []string{"a", `"\""`, `b\\`, `"\\"`, "c", `"\\\"{"`}},
		{`{"a":null,"a":-1.5e3}`, []string{"a", "null", "a", "-1.5e3"}},
	} {
		var got []string
		whole := Members([]byte(tt.raw), func(key, value []byte) { got = append(got, string(key), string(value)) })
		if diff := cmp.Diff(tt.want, got); diff != "" || !whole {
			t.Errorf("%s: whole %v, members (-want +got):\n%s", tt.raw, whole, diff)
		}
	}
}

func TestMembersOfWhatIsNoWholeObject(t *testing.T) {
	for _, raw := range []string{
		``, ` `, `x`, `1`, `[]`, `"a"`, `{`, `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":1`, `{"a":"`, `{"a":"\"}`, `{"a":{}`, `{"a":[1}`, `{"a":1,`, `{"a":1,}`,
		`{a:1}`, `{"a" 1}`, `{"a":}`, `{"a":1} {}`, `{"a":1}x`, `{,}`, `{"a":1 "b":2}`,
	} {
		if Members([]byte(raw), func(_, _ []byte) {}) {
			t.Errorf("%q: taken for a whole object", raw)
		}
	}
}

// What encoding/json takes for an object has the same members here.
func FuzzMembers(f *testing.F) {
	for _, raw := range []string{`{"a":{"b":[1,"}\\\""]},"c":null}`, `{"":"\u0022"}`, "{\"a\"\t:\n[ ]\r}", `{"a":1,"a":[2]}`, `{"a`} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := map[string]string{}
		whole := Members(raw, func(key, value []byte) {
			var k string
			if json.Unmarshal([]byte(`"`+string(key)+`"`), &k) == nil {
				got[k] = string(value)
			}
		})
		var members map[string]json.RawMessage
		if json.Unmarshal(raw, &members) != nil || members == nil {
			return
		}
		want := map[string]string{}
		for k, v := range members {
			want[k] = string(v)
		}
		if diff := cmp.Diff(want, got); diff != "" || !whole {
			t.Errorf("%q: whole %v, members (-want +got):\n%s", raw, whole, diff)
		}
	})
}
