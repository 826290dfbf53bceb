module example.com/tq

go 1.26.0

require (
	github.com/anishathalye/porcupine v1.3.1 // tests: is a history of claims and settles linearizable
	github.com/fsnotify/fsnotify v1.10.1 // SQLite wake-ups across processes without polling
	github.com/google/jsonschema-go v0.4.3 // schemas of operations from their Go types; what the MCP SDK uses too
	github.com/jackc/pgx/v5 v5.13.0 // PostgreSQL: pipelines, arrays, LISTEN; its database/sql driver in tests
	github.com/lmittmann/tint v1.2.1 // log lines for people, on a terminal
	github.com/modelcontextprotocol/go-sdk v1.8.0 // MCP: the official SDK, both eras of the protocol
	github.com/prometheus/client_golang v1.25.0 // /metrics
	github.com/rogpeppe/go-internal v1.16.0 // tests: journeys against the real binary as txtar scripts
	github.com/spf13/cobra v1.10.2 // CLI: commands, help, completions
	github.com/standard-webhooks/standard-webhooks/libraries v0.0.1 // tests: do others accept the signatures of our alerts
	github.com/yuin/goldmark v1.8.7 // harvest: task lists of Markdown files as people write them
	go.opentelemetry.io/otel v1.47.0 // traces, as the OpenTelemetry API has them
	go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp v1.47.0 // where the OTEL_ variables say
	go.opentelemetry.io/otel/sdk v1.47.0 // spans are sent in batches
	go.opentelemetry.io/otel/trace v1.47.0 // the same API: spans
	go.uber.org/goleak v1.3.0 // tests: no goroutine is left behind
	go.yaml.in/yaml/v3 v3.0.5 // the OpenAPI document as YAML
	golang.org/x/sys v0.50.0 // file locks, statfs, process groups, a bound on what a server leaves unanswered
	golang.org/x/time v0.16.0 // rate limits per caller of a hub
	modernc.org/sqlite v1.62.0 // SQLite without cgo; its database/sql driver serves EnqueueTx
	pgregory.net/rapid v1.3.0 // tests: random histories, shrunk
	zombiezen.com/go/sqlite v1.4.2 // direct SQLite statements over the same copy of SQLite
)

require (
	github.com/bahlo/generic-list-go v0.2.0 // indirect
	github.com/basgys/goxml2json v1.1.1-0.20231018121955-e66ee54ceaad // indirect
	github.com/beorn7/perks v1.0.1 // indirect
	github.com/buger/jsonparser v1.6.1 // indirect
	github.com/cenkalti/backoff/v5 v5.0.3 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/cpuguy83/go-md2man/v2 v2.0.6 // indirect
	github.com/dustin/go-humanize v1.1.0 // indirect
	github.com/go-logr/logr v1.4.4 // indirect
	github.com/go-logr/stdr v1.2.2 // indirect
	github.com/go-openapi/jsonpointer v1.0.2 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/grpc-ecosystem/grpc-gateway/v2 v2.30.0 // indirect
	github.com/hanwen/go-fuse/v2 v2.12.1 // tests: a disk whose nth write or sync fails
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/jackc/puddle/v2 v2.2.3 // indirect
	github.com/mattn/go-isatty v0.0.24 // indirect
	github.com/munnerz/goautoneg v0.0.0-20191010083416-a7dc8b61c822 // indirect
	github.com/ncruces/go-strftime v1.1.0 // indirect
	github.com/prometheus/client_model v0.6.3 // indirect
	github.com/prometheus/common v0.72.0 // indirect
	github.com/prometheus/procfs v0.22.0 // indirect
	github.com/remyoudompheng/bigfft v0.0.0-20230129092748-24d4a6f8daec // indirect
	github.com/russross/blackfriday/v2 v2.1.0 // indirect
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/spf13/pflag v1.0.9 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	go.opentelemetry.io/auto/sdk v1.2.1 // indirect
	go.opentelemetry.io/otel/exporters/otlp/otlptrace v1.47.0 // indirect
	go.opentelemetry.io/otel/log v1.47.0 // indirect
	go.opentelemetry.io/otel/metric v1.47.0 // indirect
	go.opentelemetry.io/proto/otlp v1.11.0 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/oauth2 v0.37.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20260928230214-8a89bd6388cc // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260928230214-8a89bd6388cc // indirect
	google.golang.org/grpc v1.83.2 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
	modernc.org/libc v1.80.1 // indirect
	modernc.org/mathutil v1.7.1 // indirect
	modernc.org/memory v1.12.1 // indirect
)
