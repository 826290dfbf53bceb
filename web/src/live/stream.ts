// One subscription to the hub's events, from a page or from the shared worker.
// It resumes by itself where it stopped; whoever hears it only sees news.

export type News =
  | { kind: "open" }
  | { kind: "facts"; facts: string[] }
  | { kind: "stats"; stats: string }
  | { kind: "lagged" }
  | { kind: "down"; retryAt: number };

export interface Addresses {
  facts: string; // without after=, which this file adds
  stats: string;
}

const batchMs = 100;
const firstRetryMs = 1000;
const longestRetryMs = 30_000;

/** Opens both streams and calls tell with what they bring; returns how to close them. */
export function openStream(addresses: Addresses, tell: (news: News) => void): () => void {
  const closers = [openFacts(addresses.facts, tell), openStats(addresses.stats, tell)];
  return () => {
    for (const close of closers) close();
  };
}

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

function openFacts(address: string, tell: (news: News) => void): () => void {
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
  const resumed = () => (last ? `${address}${address.includes("?") ? "&" : "?"}after=${last}` : address);
  const close = persistent(
    resumed,
    (source) => {
      source.addEventListener("fact", hear);
      source.addEventListener("message", hear);
      source.addEventListener("lagged", () => tell({ kind: "lagged" }));
    },
    tell,
  );
  return () => {
    clearTimeout(timer);
    close();
  };
}

function openStats(address: string, tell: (news: News) => void): () => void {
  const hear = (event: MessageEvent<string>) => tell({ kind: "stats", stats: event.data });
  return persistent(
    () => address,
    (source) => {
      source.addEventListener("stats", hear);
      source.addEventListener("message", hear);
    },
    () => undefined, // the facts' stream says whether the hub is there
  );
}
