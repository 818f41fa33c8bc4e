package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"paicli/llm"
	"paicli/llm/internal/sse"
)

// Models lists what the server offers, with the windows that it tells.
func (c *Client) Models(ctx context.Context) ([]llm.Info, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	known := c.recall()
	resp, err := c.ask(ctx, cancel, http.MethodGet, c.base.join("/models", known.version), nil)
	if err != nil && c.base.bare && elsewhere(err) {
		resp, err = c.ask(ctx, cancel, http.MethodGet, c.base.join("/models", !known.version), nil)
	}
	if err != nil {
		return nil, c.secrets.Scrub(err)
	}
	defer resp.Body.Close()
	body, err := sse.Plain(resp)
	if err != nil {
		return nil, c.secrets.Scrub(c.call(resp.Request.URL.String()).Network(ctx, err))
	}
	raw, err := io.ReadAll(io.LimitReader(body, maxModels))
	if err != nil {
		return nil, c.secrets.Scrub(c.call(resp.Request.URL.String()).Network(ctx, err))
	}
	return readModels(raw, c.opts.Info.Provider), nil
}

// maxModels bounds a list of models, in bytes. OpenRouter's has about 1 MB.
const maxModels = 16 << 20

// readModels reads the lists in use: {data:[…]}, {models:[…]}, […].
func readModels(raw []byte, provider string) []llm.Info {
	type item struct {
		ID      string `json:"id"`
		Name    string `json:"name"`
		Length  int    `json:"context_length"`
		Window  int    `json:"context_window"`
		MaxLen  int    `json:"max_model_len"`
		MaxCtx  int    `json:"max_context_length"`
		Loaded  int    `json:"loaded_context_length"`
		MaxSend int    `json:"max_completion_tokens"`
		Meta    struct {
			Context int `json:"n_ctx"`
		} `json:"meta"`
	}
	var list struct{ Data, Models []json.RawMessage }
	if json.Unmarshal(raw, &list) != nil {
		_ = json.Unmarshal(raw, &list.Data) // no list at all is an empty one
	}
	var infos []llm.Info
	if len(list.Data) == 0 {
		list.Data = list.Models
	}
	for _, r := range list.Data {
		var m item
		_ = json.Unmarshal(r, &m) // what has another type than expected stays zero
		if id := cmp.Or(m.ID, m.Name); id != "" {
			infos = append(infos, llm.Info{
				Provider: provider, Model: id, MaxOutput: m.MaxSend,
				Window: cmp.Or(m.Loaded, m.Meta.Context, m.Length, m.Window, m.MaxLen, m.MaxCtx),
			})
		}
	}
	return infos
}
