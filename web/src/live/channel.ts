// How a tab gets at the one stream of its browser: through the shared worker;
// where there is none, through the one tab that holds a lock and passes all on;
// where there are no locks either (plain http off loopback), alone.
import { type News, openStream } from "./stream";

export type Channel = "shared worker" | "leader" | "own stream";

const name = "tq-live";

/** Connects by the best way this browser has; returns which, and how to leave. */
export function connect(address: string, tell: (news: News) => void): { by: Channel; close: () => void } {
  if ("SharedWorker" in globalThis) return { by: "shared worker", close: viaWorker(address, tell) };
  if (navigator.locks && "BroadcastChannel" in globalThis) return { by: "leader", close: viaLeader(address, tell) };
  return { by: "own stream", close: openStream(address, tell) };
}

function viaWorker(address: string, tell: (news: News) => void): () => void {
  const worker = new SharedWorker(new URL("./shared.worker.ts", import.meta.url), { type: "module", name });
  const { port } = worker;
  port.addEventListener("message", ({ data }: MessageEvent<News>) => tell(data));
  port.start();
  port.postMessage(address);
  const leave = () => port.postMessage("leave");
  // A page that comes back from the browser's cache joins again.
  const back = (event: PageTransitionEvent) => event.persisted && port.postMessage(address);
  addEventListener("pagehide", leave);
  addEventListener("pageshow", back);
  return () => {
    removeEventListener("pagehide", leave);
    removeEventListener("pageshow", back);
    leave();
    port.close();
  };
}

const ask = "how does it stand?";

function viaLeader(address: string, tell: (news: News) => void): () => void {
  const others = new BroadcastChannel(name);
  const newest = new Map<News["kind"], News>(); // of the connection and the overview, for a tab that comes later
  let leads = false;
  const note = (news: News) => {
    if (news.kind === "facts" || news.kind === "lagged") return;
    if (news.kind === "open" || news.kind === "down") newest.delete("open");
    newest.set(news.kind === "down" ? "open" : news.kind, news);
  };
  const hear = (news: News) => {
    note(news);
    tell(news);
  };
  const pass = (news: News) => {
    hear(news);
    others.postMessage(news);
  };
  others.addEventListener("message", ({ data }: MessageEvent<News | typeof ask>) => {
    if (data !== ask) hear(data);
    else if (leads) for (const news of newest.values()) others.postMessage(news);
  });
  others.postMessage(ask);
  const done = new AbortController();
  const lead = () =>
    new Promise<void>((resolve) => {
      leads = true;
      if (newest.size > 0) pass({ kind: "down", retryAt: Date.now() }); // the leader before has gone: all catch up
      const close = openStream(address, pass);
      done.signal.addEventListener("abort", () => {
        close();
        resolve();
      });
    });
  navigator.locks.request(name, { signal: done.signal }, lead).catch(() => undefined); // aborted while waiting
  return () => {
    done.abort();
    others.close();
  };
}
