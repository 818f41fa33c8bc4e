package llm

import "time"

// Usage counts tokens as the server reported them, in one spelling: Input is the whole prompt
// including Cached and CacheWrite, Output includes Reasoning. Known is false when the server
// reported nothing.
type Usage struct {
	Input      int  `json:"input"`
	Output     int  `json:"output"`
	Cached     int  `json:"cached,omitempty"`
	CacheWrite int  `json:"cache_write,omitempty"`
	Reasoning  int  `json:"reasoning,omitempty"`
	Known      bool `json:"known,omitempty"`
}

// Add returns the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input:      u.Input + v.Input,
		Output:     u.Output + v.Output,
		Cached:     u.Cached + v.Cached,
		CacheWrite: u.CacheWrite + v.CacheWrite,
		Reasoning:  u.Reasoning + v.Reasoning,
		Known:      u.Known || v.Known,
	}
}

// Price is in currency units per million tokens. A zero Cached or CacheWrite means that such
// tokens cost as much as any other input.
type Price struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	Cached     float64 `json:"cached,omitempty"`
	CacheWrite float64 `json:"cache_write,omitempty"`
}

// Prices is what a model costs: a base price, and where the vendor has them a dearer one above a
// prompt length and one for busy hours. AsOf is the day (YYYY-MM-DD) on which they were read.
type Prices struct {
	Currency string  `json:"currency"`
	AsOf     string  `json:"as_of"`
	Base     Price   `json:"base"`
	Above    int     `json:"above,omitempty"` // prompt tokens from which Long counts
	Long     *Price  `json:"long,omitempty"`
	Peak     *Price  `json:"peak,omitempty"`
	PeakTime []Hours `json:"peak_time,omitempty"`
}

// Hours is a span of hours on working days, [From, To), in the vendor's zone given as an offset
// from UTC in hours.
type Hours struct {
	From   int `json:"from"`
	To     int `json:"to"`
	Offset int `json:"offset"`
}

// Money is an amount in a currency. Currency is empty when no price is known.
type Money struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// Cost is what u costs at the given time. A nil Prices costs an unknown amount: zero Money.
func (p *Prices) Cost(u Usage, at time.Time) Money {
	if p == nil {
		return Money{}
	}
	price := p.Base
	if p.Peak != nil && p.busy(at) {
		price = *p.Peak
	}
	if p.Long != nil && u.Input > p.Above {
		price = *p.Long
	}
	cached, write := price.Cached, price.CacheWrite
	if cached == 0 {
		cached = price.Input
	}
	if write == 0 {
		write = price.Input
	}
	plain := max(u.Input-u.Cached-u.CacheWrite, 0)
	sum := float64(plain)*price.Input + float64(u.Cached)*cached +
		float64(u.CacheWrite)*write + float64(u.Output)*price.Output
	return Money{Amount: sum / 1e6, Currency: p.Currency}
}

func (p *Prices) busy(at time.Time) bool {
	for _, h := range p.PeakTime {
		t := at.UTC().Add(time.Duration(h.Offset) * time.Hour)
		if t.Weekday() == time.Saturday || t.Weekday() == time.Sunday {
			continue
		}
		if t.Hour() >= h.From && t.Hour() < h.To {
			return true
		}
	}
	return false
}
