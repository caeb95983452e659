package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"offrun/backend/ops"
	"offrun/backend/work"
)

// A Client is an ops.Door to the bench that listens on a socket.
type Client struct{ http http.Client }

// Dial returns a client for the socket at path; nothing is connected yet.
func Dial(path string) *Client {
	return &Client{http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		},
	}}}
}

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Ask sends one question. See NotServing for the error when no bench listens.
func (c *Client) Ask(ctx context.Context, row ops.Row, in, out any) error {
	req, err := request(ctx, row, in)
	if err != nil {
		return err
	}
	res, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return work.Hide(work.Unavailable, err, "the bench does not answer").
			Do("Run the command again; it starts one.")
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return work.Hide(work.Unavailable, err, "the bench ended in the middle of its answer").
			Do("Run the command again; attempts go on by themselves.")
	}
	if res.StatusCode >= 300 {
		return refusal(row, res, body)
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("answer to %s: %w", row.Name, err)
	}
	return nil
}

func refusal(row ops.Row, res *http.Response, body []byte) error {
	var p Problem
	if json.Unmarshal(body, &p) != nil || p.Code == "" {
		return work.Errorf(work.Unavailable, "the bench does not know %s (%s)", row.Name, res.Status).
			Do("It may be of another version: run offrun serve stop, then try again.")
	}
	e := &work.Error{Code: work.Code(p.Code), Msg: p.Detail, Next: p.Next, List: p.List}
	return e
}

// request spreads in over path, query and body, by the tags that package ops
// gives its inputs.
func request(ctx context.Context, row ops.Row, in any) (*http.Request, error) {
	path, query := row.Path, url.Values{}
	var body any
	spread(reflect.ValueOf(in), func(f reflect.StructField, v reflect.Value) {
		if name := f.Tag.Get("path"); name != "" {
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(fmt.Sprint(v)))
		} else if name := f.Tag.Get("query"); name != "" && !v.IsZero() {
			query.Set(name, fmt.Sprint(v))
		} else if f.Name == "Body" {
			body = v.Interface()
		}
	})
	var payload io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("ask %s: %w", row.Name, err)
		}
		payload = bytes.NewReader(b)
	}
	u := url.URL{Scheme: "http", Host: "offrun", RawQuery: query.Encode()}
	req, err := http.NewRequestWithContext(ctx, row.Method, u.String(), payload)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", row.Name, err)
	}
	if req.URL.Path, err = url.PathUnescape(path); err != nil {
		return nil, fmt.Errorf("ask %s: %w", row.Name, err)
	}
	req.URL.RawPath = path
	if payload != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// spread calls each for the fields of a struct and of those embedded in it.
func spread(v reflect.Value, each func(reflect.StructField, reflect.Value)) {
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Anonymous {
			spread(v.Field(i), each)
		} else {
			each(f, v.Field(i))
		}
	}
}
