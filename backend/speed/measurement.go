package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// A Measurement is one line of the report and one element of bench.json.
type Measurement struct {
	Name  string   `json:"name"`
	Value float64  `json:"value"`
	Unit  string   `json:"unit"`  // of value and floor
	Floor *float64 `json:"floor"` // what the same costs by plain means; null: nothing to compare with
	Ratio *float64 `json:"ratio"` // value / floor
	Bar   *float64 `json:"bar"`   // the most that the ratio, or without a floor the value, may be; null: only reported
	OK    bool     `json:"ok"`
}

// measure is a measurement that is only reported.
func measure(name string, value float64, unit string) Measurement {
	return Measurement{Name: name, Value: rounded(value), Unit: unit, OK: true}
}

// against compares m with floor.
func (m Measurement) against(floor float64) Measurement {
	f := rounded(floor)
	m.Floor = &f
	if floor > 0 {
		r := rounded(m.Value / floor)
		m.Ratio = &r
	}
	return m
}

// within sets the bar. A ratio that could not be had is not within it.
func (m Measurement) within(bar float64) Measurement {
	m.Bar = &bar
	switch {
	case m.Floor == nil:
		m.OK = m.Value <= bar
	case m.Ratio == nil:
		m.OK = false
	default:
		m.OK = *m.Ratio <= bar
	}
	return m
}

// String is m as a line of the table under header.
func (m Measurement) String() string {
	verdict := "-"
	if m.Bar != nil {
		verdict = "ok"
		if !m.OK {
			verdict = "MISSED"
		}
	}
	return fmt.Sprintf(layout, m.Name, plain(&m.Value), m.Unit, plain(m.Floor), plain(m.Ratio), plain(m.Bar), verdict)
}

const layout = "%-62s %9s %-8s %9s %7s %6s  %s"

func header() string {
	return fmt.Sprintf(layout, "measurement", "value", "unit", "floor", "ratio", "bar", "verdict")
}

func plain(n *float64) string {
	if n == nil {
		return "-"
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}

// rounded keeps four digits: more would be noise.
func rounded(n float64) float64 {
	four, err := strconv.ParseFloat(strconv.FormatFloat(n, 'g', 4, 64), 64)
	if err != nil {
		return n
	}
	return four
}

// median returns the middle of values, or the mean of the two in the middle; 0 of
// none.
func median(values []time.Duration) time.Duration {
	if len(values) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// inTurns calls ours and plain n times each, fresh before every such pair. Each is
// as often the first of a pair as the second, so that neither always finds what the
// other has left in the machine's caches. fresh may be nil.
func inTurns(n int, fresh, ours, plain func() error) error {
	for i := range n {
		order := []func() error{ours, plain}
		if i%2 == 1 {
			slices.Reverse(order)
		}
		if fresh != nil {
			order = slices.Insert(order, 0, fresh)
		}
		for _, do := range order {
			if err := do(); err != nil {
				return err
			}
		}
	}
	return nil
}

// report is ms as bench.json holds them.
func report(ms []Measurement) ([]byte, error) {
	if ms == nil {
		ms = []Measurement{}
	}
	b, err := json.MarshalIndent(ms, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return append(b, '\n'), nil
}
