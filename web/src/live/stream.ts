// The one subscription to the hub's events, from a page or from the shared worker.
// It resumes by itself where it stopped; whoever hears it only sees news.

export type News =
  | { kind: "open" }
  | { kind: "hello"; version: string } // of the hub
  | { kind: "facts"; facts: string[] }
  | { kind: "overview"; overview: string }
  | { kind: "lagged" }
  | { kind: "down"; retryAt: number };

const batchMs = 100;
const firstRetryMs = 1000;
const longestRetryMs = 30_000;

/** EventSource resumes after a broken connection, but gives up after a refusal: this one never does. */
function persistent(address: () => string, wire: (source: EventSource) => void, tell: (news: News) => void) {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  const open = () => {
    source = new EventSource(address(), { withCredentials: true });
    source.addEventListener("open", () => {
      failures = 0;
      tell({ kind: "open" });
    });
    source.addEventListener("error", again);
    wire(source);
  };
  const again = () => {
    source?.close();
    const wait = Math.min(longestRetryMs, firstRetryMs * 2 ** failures++) * (0.8 + 0.4 * Math.random());
    tell({ kind: "down", retryAt: Date.now() + wait });
    timer = setTimeout(open, wait);
  };
  open();
  return () => {
    clearTimeout(timer);
    source?.close();
  };
}

/** Opens the stream and calls tell with what it brings; returns how to close it. */
export function openStream(address: string, tell: (news: News) => void): () => void {
  let last = "";
  let batch: string[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    timer = undefined;
    tell({ kind: "facts", facts: batch });
    batch = [];
  };
  const hear = (event: MessageEvent<string>) => {
    if (event.lastEventId) last = event.lastEventId;
    batch.push(event.data);
    timer ??= setTimeout(flush, batchMs);
  };
  const greet = (event: MessageEvent<string>) => {
    last ||= event.lastEventId; // where the journal stood: what comes while nothing is connected is resumed from here
    tell({ kind: "hello", version: (JSON.parse(event.data) as { version: string }).version });
  };
  const close = persistent(
    () => (last ? `${address}?after=${last}` : address),
    (source) => {
      source.addEventListener("hello", greet);
      source.addEventListener("fact", hear);
      source.addEventListener("overview", ({ data }: MessageEvent<string>) =>
        tell({ kind: "overview", overview: data }),
      );
      source.addEventListener("lagged", () => tell({ kind: "lagged" }));
    },
    tell,
  );
  return () => {
    clearTimeout(timer);
    close();
  };
}
