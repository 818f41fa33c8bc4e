package dialect

import (
	"strings"

	"paicli/llm/internal/jsontext"
)

// object writes a JSON object in the order of its keys.
type object struct{ b strings.Builder }

func (o *object) set(key string, value []byte) {
	if o.b.Len() > 0 {
		o.b.WriteByte(',')
	}
	o.b.Write(jsontext.Quote(key))
	o.b.WriteByte(':')
	o.b.Write(value)
}

// String is the object, {} when nothing was set.
func (o *object) String() string { return "{" + o.b.String() + "}" }
