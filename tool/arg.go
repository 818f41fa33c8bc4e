package tool

import (
	"encoding/json"
	"fmt"
)

// count is an optional whole number. Zero means that it was not given; a zero that was given is
// kept as -1, which is below every bound just as well.
type count int

func (c *count) UnmarshalJSON(data []byte) error {
	var n int
	if err := json.Unmarshal(data, &n); err != nil {
		return err
	}
	if n == 0 {
		n = -1
	}
	*c = count(n)
	return nil
}

// or is the number, or what stands for it when it was not given. A number out of bounds is refused.
func (c count) or(name string, byDefault, least, most int) (int, error) {
	n := int(c)
	if n == 0 {
		return byDefault, nil
	}
	if n < least || n > most {
		return 0, fmt.Errorf("%s must be from %d to %d", name, least, most)
	}
	return n, nil
}

// unless is an optional switch that is on when it is not given. It holds the opposite of what was
// given, so that its zero value means on.
type unless bool

func (u *unless) UnmarshalJSON(data []byte) error {
	var on bool
	if err := json.Unmarshal(data, &on); err != nil {
		return err
	}
	*u = unless(!on)
	return nil
}
