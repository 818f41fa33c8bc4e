package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
)

// probeTime bounds the search for local servers: a server on the same machine that needs longer for
// the list of its models is not one to start with.
const probeTime = 400 * time.Millisecond

// maxList bounds the answer of a probed server, in bytes.
const maxList = 1 << 20

// Server is a model server that answers on this machine.
type Server struct {
	Provider *Provider
	BaseURL  string
	Models   []string
}

// Local looks for servers on their usual ports of 127.0.0.1, all at the same time, and lists those
// that offer at least one model. client may be nil; redirects are not followed.
func Local(ctx context.Context, client *http.Client) []Server {
	ports := make(map[*Provider]int)
	var order []*Provider
	for _, p := range data() {
		if !p.Local {
			continue
		}
		u, err := url.Parse(p.URLs[0])
		if err != nil {
			continue
		}
		ports[p], _ = strconv.Atoi(u.Port())
		order = append(order, p)
	}
	return probeAll(ctx, client, order, ports)
}

func probeAll(ctx context.Context, client *http.Client, order []*Provider, ports map[*Provider]int) []Server {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	found := make([]*Server, len(order))
	var wg sync.WaitGroup
	for i, p := range order {
		wg.Go(func() { found[i] = probe(ctx, client, p, ports[p]) })
	}
	wg.Wait()
	var servers []Server
	for _, s := range found {
		if s != nil {
			servers = append(servers, *s)
		}
	}
	return servers
}

func probe(ctx context.Context, client *http.Client, p *Provider, port int) *Server {
	own := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	if client != nil {
		own = *client
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	base := fmt.Sprintf("http://127.0.0.1:%d/v1", port)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/models", nil)
	if err != nil {
		return nil
	}
	resp, err := own.Do(req)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil
	}
	var list struct{ Data []struct{ ID string } }
	if json.NewDecoder(io.LimitReader(resp.Body, maxList)).Decode(&list) != nil {
		return nil
	}
	s := &Server{Provider: p, BaseURL: base}
	for _, m := range list.Data {
		if m.ID != "" {
			s.Models = append(s.Models, m.ID)
		}
	}
	if len(s.Models) == 0 {
		return nil
	}
	return s
}
