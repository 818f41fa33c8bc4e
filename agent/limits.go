package agent

import "context"

// MaxSteps stops a turn after n model requests. The closing request is not counted.
func MaxSteps(n int) Guard {
	return func(_ context.Context, t *Turn) error {
		if t.Steps >= n && !t.Final {
			return &Stop{Reason: ReasonSteps}
		}
		return nil
	}
}

// TokenBudget stops a turn that has used n tokens or more, input and output, those of all agents and
// of hidden requests included.
func TokenBudget(n int) Guard {
	return func(_ context.Context, t *Turn) error {
		used := t.Thread.State().Totals.Usage
		if used.Input+used.Output-t.before.Usage.Input-t.before.Usage.Output >= n && !t.Final {
			return &Stop{Reason: ReasonTokens}
		}
		return nil
	}
}

// MaxCost stops a turn that has cost the amount or more, in whatever currency the prices are.
func MaxCost(amount float64) Guard {
	return func(_ context.Context, t *Turn) error {
		for currency, sum := range t.Thread.State().Totals.Costs {
			if sum-t.before.Costs[currency] >= amount && !t.Final {
				return &Stop{Reason: ReasonCost}
			}
		}
		return nil
	}
}
