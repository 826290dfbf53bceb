// Package deploy reads the files in deploy/ as Compose and Kubernetes read
// them, strictly: a field that does not exist is an error, a port that is not
// the documented one as well.
package deploy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
)

const folder = "../../deploy"

// load reads the compose file with one profile, as docker compose does.
func load(t *testing.T, profile string, env ...string) *types.Project {
	t.Helper()
	o, err := cli.NewProjectOptions([]string{filepath.Join(folder, "compose.yaml")},
		cli.WithWorkingDirectory(folder), cli.WithProfiles([]string{profile}), cli.WithEnv(env))
	if err != nil {
		t.Fatal(err)
	}
	p, err := o.LoadProject(context.Background())
	if err != nil {
		t.Fatalf("profile %s: %v", profile, err)
	}
	return p
}

func published(t *testing.T, p *types.Project, service string) string {
	t.Helper()
	s, err := p.GetService(service)
	if err != nil || len(s.Ports) != 1 {
		t.Fatalf("service %s publishes %v (%v)", service, s.Ports, err)
	}
	if s.Ports[0].HostIP != "127.0.0.1" {
		t.Errorf("service %s is published to the network at %q", service, s.Ports[0].HostIP)
	}
	return s.Ports[0].Published
}

func TestComposeHasTheServicesOfItsProfiles(t *testing.T) {
	t.Parallel()
	for profile, want := range map[string][]string{
		"prod": {"hub", "postgres", "setup-admin", "setup-worker", "worker"},
		"dev":  {"hub-dev", "postgres", "setup-admin", "setup-worker", "vite", "worker-dev"},
	} {
		got := load(t, profile).ServiceNames()
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("profile %s has %v, want %v", profile, got, want)
		}
	}
}

func TestComposePublishesTheDocumentedPorts(t *testing.T) {
	t.Parallel()
	prod, dev := load(t, "prod"), load(t, "dev")
	for _, p := range []struct {
		project             *types.Project
		service, port, want string
	}{
		{prod, "hub", "HOST_PORT", "8081"},
		{prod, "postgres", "POSTGRES_PORT", "5432"},
		{dev, "hub-dev", "API_PORT", "8080"},
		{dev, "vite", "FRONTEND_PORT", "5173"},
	} {
		if got := published(t, p.project, p.service); got != p.want {
			t.Errorf("%s listens at %s without %s, want %s", p.service, got, p.port, p.want)
		}
	}
}

func TestTheExampleSettingsTakeHold(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(folder, ".env.example"))
	if err != nil {
		t.Fatal(err)
	}
	var env []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			env = append(env, line)
		}
	}
	prod, dev := load(t, "prod", env...), load(t, "dev", env...)
	if got := published(t, prod, "hub") + " " + published(t, dev, "hub-dev") + " " + published(t, dev, "vite") + " " + published(t, prod, "postgres"); got != "18081 18080 15173 15432" {
		t.Errorf("the example's ports came out as %s", got)
	}
	compose, err := os.ReadFile(filepath.Join(folder, "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range env {
		name, _, _ := strings.Cut(line, "=")
		if !bytes.Contains(compose, []byte("${"+name+":-")) {
			t.Errorf("%s is in the example but means nothing to compose.yaml, or has no default there", name)
		}
	}
}

func TestWhoeverDrainsIsGivenTheTime(t *testing.T) {
	t.Parallel()
	p := load(t, "prod")
	for name, least := range map[string]float64{"hub": 30, "worker": 30} {
		s, err := p.GetService(name)
		if err != nil {
			t.Fatal(err)
		}
		if s.StopGracePeriod == nil || s.StopGracePeriod.String() == "" {
			t.Fatalf("%s is killed after the default of 10 s", name)
		}
		if got := float64(*s.StopGracePeriod) / 1e9; got <= least {
			t.Errorf("%s is killed after %v s, its own grace is %v s", name, got, least)
		}
	}
}

// manifests decodes every object below k8s/ into its type; unknown and doubled
// fields are errors.
func manifests(t *testing.T) []runtime.Object {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{appsv1.AddToScheme, corev1.AddToScheme, policyv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	files, err := filepath.Glob(filepath.Join(folder, "k8s", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no manifests (%v)", err)
	}
	var all []runtime.Object
	for _, file := range files {
		if filepath.Base(file) == "kustomization.yaml" {
			continue
		}
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		for r := yaml.NewDocumentDecoder(f); ; {
			buf := make([]byte, 1<<20)
			n, err := r.Read(buf)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			o, _, err := decoder.Decode(buf[:n], nil, nil)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			all = append(all, o)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	return all
}

func TestManifestsAreWhatKubernetesReads(t *testing.T) {
	t.Parallel()
	var deployments int
	for _, o := range manifests(t) {
		d, ok := o.(*appsv1.Deployment)
		if !ok {
			continue
		}
		deployments++
		pod := d.Spec.Template
		for k, v := range d.Spec.Selector.MatchLabels {
			if pod.Labels[k] != v {
				t.Errorf("%s selects %s=%s, which its pods do not have", d.Name, k, v)
			}
		}
		grace := pod.Spec.TerminationGracePeriodSeconds
		if grace == nil || *grace <= 30 {
			t.Errorf("%s: pods are killed before they have drained", d.Name)
		}
		for i := range pod.Spec.Containers {
			c := &pod.Spec.Containers[i]
			if s := c.SecurityContext; s == nil || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation {
				t.Errorf("%s/%s may raise its privileges", d.Name, c.Name)
			}
			if d.Name == "worker" && (c.Lifecycle == nil || c.Lifecycle.PreStop == nil) {
				t.Errorf("%s has no preStop: it would not drain", d.Name)
			}
			if d.Name == "hub" && (c.ReadinessProbe == nil || c.ReadinessProbe.HTTPGet.Path != "/readyz") {
				t.Errorf("%s is not asked whether it is ready", d.Name)
			}
		}
	}
	if deployments != 2 {
		t.Errorf("%d deployments, want hub and worker", deployments)
	}
}

// unit reads a systemd unit: section, then key, then values.
func unit(t *testing.T, name string) map[string]map[string][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "systemd", name))
	if err != nil {
		t.Fatal(err)
	}
	out, section := map[string]map[string][]string{}, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
			section = line[1 : len(line)-1]
			out[section] = map[string][]string{}
		default:
			key, value, found := strings.Cut(line, "=")
			if !found || section == "" || strings.TrimSpace(key) != key {
				t.Errorf("%s: %q is no setting of a section", name, line)
				continue
			}
			out[section][key] = append(out[section][key], value)
		}
	}
	return out
}

func TestSystemdStopsWithPatience(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"tq-hub.service", "tq-worker@.service"} {
		u := unit(t, name)
		s := u["Service"]
		if len(u) != 3 || u["Unit"] == nil || u["Install"] == nil {
			t.Errorf("%s has sections %v", name, u)
		}
		if s["KillSignal"][0] != "SIGTERM" || len(s["TimeoutStopSec"]) != 1 || s["TimeoutStopSec"][0] < "45" {
			t.Errorf("%s: stops with %v after %v", name, s["KillSignal"], s["TimeoutStopSec"])
		}
		if !strings.HasPrefix(s["ExecStart"][0], "/usr/local/bin/tq ") || s["User"] == nil {
			t.Errorf("%s runs %v as %v", name, s["ExecStart"], s["User"])
		}
	}
	if got := unit(t, "tq-worker@.service")["Service"]["SuccessExitStatus"]; len(got) != 1 || got[0] != "9" {
		t.Errorf("a worker that gave tasks back counts as failed: %v", got)
	}
}
