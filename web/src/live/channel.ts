// How a tab gets at the one stream of its browser: through the shared worker;
// where there is none, through the one tab that holds a lock and passes all on;
// where there are no locks either (plain http off loopback), alone.
import { type Addresses, type News, openStream } from "./stream";

export type Channel = "shared worker" | "leader" | "own stream";

const name = "tq-live";

/** Connects by the best way this browser has; returns which, and how to leave. */
export function connect(addresses: Addresses, tell: (news: News) => void): { by: Channel; close: () => void } {
  if ("SharedWorker" in globalThis) return { by: "shared worker", close: viaWorker(addresses, tell) };
  if (navigator.locks && "BroadcastChannel" in globalThis) return { by: "leader", close: viaLeader(addresses, tell) };
  return { by: "own stream", close: openStream(addresses, tell) };
}

function viaWorker(addresses: Addresses, tell: (news: News) => void): () => void {
  const worker = new SharedWorker(new URL("./shared.worker.ts", import.meta.url), { type: "module", name });
  const { port } = worker;
  port.addEventListener("message", ({ data }: MessageEvent<News>) => tell(data));
  port.start();
  port.postMessage(addresses);
  const leave = () => port.postMessage("leave");
  // A page that comes back from the browser's cache joins again.
  const back = (event: PageTransitionEvent) => event.persisted && port.postMessage(addresses);
  addEventListener("pagehide", leave);
  addEventListener("pageshow", back);
  return () => {
    removeEventListener("pagehide", leave);
    removeEventListener("pageshow", back);
    leave();
    port.close();
  };
}

function viaLeader(addresses: Addresses, tell: (news: News) => void): () => void {
  const others = new BroadcastChannel(name);
  others.addEventListener("message", ({ data }: MessageEvent<News>) => tell(data));
  const done = new AbortController();
  const lead = () =>
    new Promise<void>((resolve) => {
      const close = openStream(addresses, (news) => {
        tell(news);
        others.postMessage(news);
      });
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
