package effect

import (
	"slices"
	"testing"
	"time"
)

// BenchmarkSuite analyses every command of the suite and reports the time of the slowest hundredth.
func BenchmarkSuite(b *testing.B) {
	entries := suite(b)
	tools()
	gitReaders()
	var took []time.Duration
	for b.Loop() {
		for _, e := range entries {
			start := time.Now()
			Analyse(e.Command, suitePlace())
			took = append(took, time.Since(start))
		}
	}
	slices.Sort(took)
	p99 := took[len(took)*99/100]
	b.ReportMetric(float64(p99.Nanoseconds()), "p99-ns")
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "p50-ns")
	if p99 > time.Millisecond && !testing.Short() {
		b.Errorf("the slowest hundredth takes %v, want 1 ms", p99)
	}
}

// BenchmarkFirst is the first analysis of a process, which reads the tables.
func BenchmarkFirst(b *testing.B) {
	for b.Loop() {
		parseTools(toolTable)
		parseTools(gitTable)
	}
}
