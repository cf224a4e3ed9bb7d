// Go's net/http: client URL TOKEN http1|http2 PLAN...; goes through each plan on a connection of its own (over HTTP/2 all share one), and says how many
// connections it took.
package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

type step struct {
	Method, Path, Accept, ContentType, BodyFile string
	Status, BytesMin                            int
}

var (
	opened   atomic.Int64
	failedMu sync.Mutex
	failures = []string{}
)

func newClient(http2 bool) *http.Client {
	var dialer net.Dialer
	transport := &http.Transport{
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
		ForceAttemptHTTP2: http2,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			opened.Add(1)
			return dialer.DialContext(ctx, network, address)
		},
	}
	if !http2 {
		transport.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
	}
	return &http.Client{Transport: transport, Timeout: time.Minute}
}

func take(client *http.Client, url, token string, s step) error {
	var body []byte
	if s.BodyFile != "" {
		var err error
		if body, err = os.ReadFile(s.BodyFile); err != nil {
			return err
		}
	}
	request, err := http.NewRequest(s.Method, url+s.Path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	// Without this a client tries again what failed on a kept connection.
	request.GetBody = nil
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Accept", s.Accept)
	if s.ContentType != "" {
		request.Header.Set("Content-Type", s.ContentType)
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != s.Status || len(data) < s.BytesMin {
		return fmt.Errorf("%d, %d bytes: %.200s", answer.StatusCode, len(data), data)
	}
	return nil
}

func follow(client *http.Client, url, token, plan string) {
	var steps []step
	text, err := os.ReadFile(plan)
	if err == nil {
		err = json.Unmarshal(text, &steps)
	}
	if err != nil {
		panic(err)
	}
	for _, s := range steps {
		if err := take(client, url, token, s); err != nil {
			failedMu.Lock()
			failures = append(failures, fmt.Sprintf("%s %s: %v", s.Method, s.Path, err))
			failedMu.Unlock()
		}
	}
}

func main() {
	url, token, http2, plans := os.Args[1], os.Args[2], os.Args[3] == "http2", os.Args[4:]
	shared := newClient(http2)
	if http2 {
		// Those who come before it is known that the server speaks HTTP/2 open connections of their own.
		if err := take(shared, url, token, step{Method: "GET", Path: "/healthz", Status: 200}); err != nil {
			panic(err)
		}
	}
	var all sync.WaitGroup
	for _, plan := range plans {
		client := shared
		if !http2 {
			client = newClient(false)
		}
		all.Add(1)
		go func(plan string) {
			defer all.Done()
			follow(client, url, token, plan)
		}(plan)
	}
	all.Wait()
	failed := len(failures)
	if failed > 5 {
		failures = failures[:5]
	}
	_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"failures": failures, "failed": failed, "connections": opened.Load()})
}
