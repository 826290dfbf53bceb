package harvest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"time"
)

// CQA is a Code-Quality-Agent server. Its address is the operator's own word,
// so it may be anywhere, loopback too; redirects are not followed.
type CQA struct {
	URL   string
	Owner string
	Token string
}

const (
	cqaTimeout = 30 * time.Second
	cqaAnswer  = 8 << 20
)

// candidates asks for the newest scan of a repository's project.
func (c *CQA) candidates(ctx context.Context, h *Harvest, r Repo) ([]candidate, error) {
	var projects []struct {
		ID   json.RawMessage `json:"id"`
		Repo string          `json:"repo_name"`
	}
	if err := c.get(ctx, "/api/v1/projects?limit=100&owner_id="+url.QueryEscape(c.Owner), &projects); err != nil {
		return nil, err
	}
	for _, p := range projects {
		if p.Repo != r.Name && filepath.Base(p.Repo) != r.Name {
			continue
		}
		scan, found, err := c.scan(ctx, plainID(p.ID))
		if err != nil || scan == "" {
			return nil, err
		}
		return h.fromFindings(r, "cqa", "cqa", []byte(scan), found), nil
	}
	return nil, nil
}

func (c *CQA) scan(ctx context.Context, project string) (id string, found []Finding, err error) {
	var scans []struct {
		ID json.RawMessage `json:"id"`
	}
	if err := c.get(ctx, "/api/v1/projects/"+url.PathEscape(project)+"/scans?limit=1", &scans); err != nil || len(scans) == 0 {
		return "", nil, err
	}
	id = plainID(scans[0].ID)
	var issues []struct {
		Analyzer   string `json:"analyzer"`
		Severity   string `json:"severity"`
		Rule       string `json:"rule_id"`
		File       string `json:"file_path"`
		Line       int    `json:"line_start"`
		Message    string `json:"message"`
		Suggestion string `json:"suggestion"`
	}
	if err := c.get(ctx, "/api/v1/scans/"+url.PathEscape(id)+"/issues?fixable_only=true&limit=500", &issues); err != nil {
		return "", nil, err
	}
	for _, i := range issues {
		if !filepath.IsLocal(i.File) {
			continue
		}
		text := i.Message
		if i.Suggestion != "" {
			text += " (suggestion: " + i.Suggestion + ")"
		}
		found = append(found, Finding{
			Tool: i.Analyzer, Rule: i.Rule, File: i.File, Line: i.Line, Level: i.Severity, Message: text, Print: i.Message,
		})
	}
	return id, found, nil
}

// plainID reads an id that is a number or a string.
func plainID(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

func (c *CQA) get(ctx context.Context, path string, to any) error {
	ctx, cancel := context.WithTimeout(ctx, cqaTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+path, http.NoBody)
	if err != nil {
		return fmt.Errorf("ask the code quality agent: %w", err)
	}
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("ask the code quality agent: %w", err)
	}
	defer func() { _ = res.Body.Close() }() // read only
	if res.StatusCode != http.StatusOK {
		return errors.New("the code quality agent answers " + res.Status)
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, cqaAnswer)).Decode(to); err != nil {
		return fmt.Errorf("read what the code quality agent answers: %w", err)
	}
	return nil
}
