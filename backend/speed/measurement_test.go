package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		values []time.Duration
		want   time.Duration
	}{
		{nil, 0},
		{[]time.Duration{7}, 7},
		{[]time.Duration{9, 1, 5}, 5},
		{[]time.Duration{100, 4, 2, 1}, 3},
	} {
		if got := median(tt.values); got != tt.want {
			t.Errorf("median(%v) = %d, want %d", tt.values, got, tt.want)
		}
	}
	values := []time.Duration{3, 1, 2}
	median(values)
	if values[0] != 3 {
		t.Error("median has sorted what it was given")
	}
}

func TestBars(t *testing.T) {
	for _, tt := range []struct {
		name string
		m    Measurement
		want bool
	}{
		{"reported only", measure("a", 1000, "ms").against(1), true},
		{"ratio below", measure("a", 114, "s").against(100).within(1.15), true},
		{"ratio at the bar", measure("a", 115, "s").against(100).within(1.15), true},
		{"ratio above", measure("a", 116, "s").against(100).within(1.15), false},
		{"no ratio to be had", measure("a", 1, "s").against(0).within(2), false},
		{"value below", measure("a", 0, "lines").within(0), true},
		{"value above", measure("a", 1, "lines").within(0), false},
	} {
		if tt.m.OK != tt.want {
			t.Errorf("%s: ok = %v", tt.name, tt.m.OK)
		}
	}
}

func TestTable(t *testing.T) {
	lines := []string{
		header(),
		measure("count, CPU", 123.4567, "ms").against(100.04).within(2.5).String(),
		measure("lines lost", 3, "lines").within(0).String(),
		measure("time", 0.5, "s").String(),
	}
	var got [][]string
	for _, l := range lines {
		if strings.Contains(l, "\n") {
			t.Errorf("more than one line: %q", l)
		}
		got = append(got, strings.Fields(l))
	}
	want := [][]string{
		{"measurement", "value", "unit", "floor", "ratio", "bar", "verdict"},
		{"count,", "CPU", "123.5", "ms", "100", "1.235", "2.5", "ok"},
		{"lines", "lost", "3", "lines", "-", "-", "0", "MISSED"},
		{"time", "0.5", "s", "-", "-", "-", "-"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

func TestReport(t *testing.T) {
	b, err := report([]Measurement{measure("a", 3, "ms").against(2).within(1), measure("b", 0, "runs")})
	if err != nil {
		t.Fatal(err)
	}
	var got []map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	want := []map[string]any{
		{"name": "a", "value": 3.0, "unit": "ms", "floor": 2.0, "ratio": 1.5, "bar": 1.0, "ok": false},
		{"name": "b", "value": 0.0, "unit": "runs", "floor": nil, "ratio": nil, "bar": nil, "ok": true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bench.json (-want +got):\n%s", diff)
	}
	if b, err := report(nil); err != nil || string(b) != "[]\n" {
		t.Errorf("nothing measured: %q, %v", b, err)
	}
}

func TestInTurns(t *testing.T) {
	var order string
	step := func(s string) func() error { return func() error { order += s; return nil } }
	if err := inTurns(3, step("."), step("o"), step("p")); err != nil || order != ".op.po.op" {
		t.Errorf("order %q, %v", order, err)
	}
	order = ""
	broken := errors.New("broken")
	err := inTurns(3, nil, step("o"), func() error { return broken })
	if !errors.Is(err, broken) || order != "o" {
		t.Errorf("order %q, %v; want to stop at the first error", order, err)
	}
}
