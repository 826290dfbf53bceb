// What the page knows of the hub's life: the newest facts, their rate, and
// whether the connection stands. It lives outside of React and tells its
// readers at most once a frame, however many facts there are.
import { useSyncExternalStore } from "react";
import { factsAfter, newestFacts } from "../api/queries";
import { at } from "../api/place";
import type { Fact, StatsPage } from "../api/shapes";
import { type Channel, connect } from "./channel";
import type { News } from "./stream";

export type Phase = "connecting" | "live" | "paused" | "reconnecting" | "polling";

export interface Live {
  phase: Phase;
  by: Channel | undefined;
  retryAt: number; // while reconnecting, by this browser's clock
  rate: number; // facts a second, over the last five
  facts: readonly Fact[]; // newest first
  lastSeq: number;
}

type Listener = () => void;
type Hearer = (facts: readonly Fact[], stats?: StatsPage) => void;

const kept = 1000;
const patience = 3; // failures to connect before asking on a beat instead
const pollMs = 5000;
const rateWindowMs = 5000;

let live: Live = { phase: "connecting", by: undefined, retryAt: 0, rate: 0, facts: [], lastSeq: 0 };
let connected = false; // what the stream says, also while paused
let leave: () => void = () => undefined;
let failures = 0;
let asking = false; // a question on the beat is still open
let polling: ReturnType<typeof setInterval> | undefined;
let arrivals: number[] = [];
let frame = 0;
let pending: Fact[] = [];
const listeners = new Set<Listener>();
const hearers = new Set<Hearer>();

/** Starts the one connection of this page. */
export function start(): void {
  join();
  setInterval(countRate, 1000);
}

/** Connects anew, as somebody else: nothing that was seen before is kept. */
export function reconnect(): void {
  leave();
  change({ phase: "connecting", facts: [], lastSeq: 0 });
  join();
}

function join(): void {
  const { by, close } = connect({ facts: at("/v1/facts"), stats: at("/v1/stats") }, hear);
  leave = close;
  change({ by });
  void fill();
}

/** Calls hearer with all that arrives while the page is not paused. */
export function onNews(hearer: Hearer): () => void {
  hearers.add(hearer);
  return () => hearers.delete(hearer);
}

export function useLive(): Live {
  return useSyncExternalStore(subscribe, () => live);
}

export function getLive(): Live {
  return live;
}

/** Stops everything that moves by itself, or starts it again where the hub is now. */
export function pause(on: boolean): void {
  if (on === (live.phase === "paused")) return;
  change({ phase: on ? "paused" : connected ? "live" : "connecting" });
  if (!on) void fill();
}

function hear(news: News): void {
  if (news.kind === "open" || news.kind === "down") return standing(news);
  if (live.phase === "paused") return;
  if (news.kind === "lagged") return void fill();
  if (news.kind === "stats") return tellHearers([], JSON.parse(news.stats) as StatsPage);
  arrivals.push(...news.facts.map(() => Date.now()));
  take(news.facts.map((text) => JSON.parse(text) as Fact));
}

function standing(news: Extract<News, { kind: "open" | "down" }>): void {
  const before = connected;
  connected = news.kind === "open";
  failures = connected ? 0 : failures + 1;
  if (connected) clearInterval(polling);
  if (connected || failures < patience) polling = undefined;
  else polling ??= setInterval(poll, pollMs);
  if (live.phase === "paused" || (live.phase === "polling" && !connected)) return;
  if (news.kind === "down") return change({ phase: "reconnecting", retryAt: news.retryAt });
  change({ phase: "live" });
  if (!before) tellHearers([]); // whatever was missed meanwhile is asked for again
}

/** Some proxies swallow streams: then the page asks, one question at a time. */
async function poll(): Promise<void> {
  if (asking || live.phase === "paused" || document.hidden) return;
  asking = true;
  try {
    take(await factsAfter(live.lastSeq, kept));
    change({ phase: "polling" });
  } catch {
    change({ phase: "reconnecting" });
  } finally {
    asking = false;
  }
}

/** Takes facts in the order of seq, each once. */
function take(facts: readonly Fact[]): void {
  const fresh = facts.filter((fact) => fact.seq > live.lastSeq);
  if (fresh.length === 0) return;
  live = { ...live, lastSeq: fresh.at(-1)?.seq ?? live.lastSeq };
  pending.push(...fresh);
  tellHearers(fresh);
  frame ||= requestAnimationFrame(flush);
}

function flush(): void {
  frame = 0;
  const facts = [...pending.toReversed(), ...live.facts].slice(0, kept);
  pending = [];
  change({ facts });
}

/** The newest facts there are, for a page that has just come or was away. */
async function fill(): Promise<void> {
  try {
    take(await newestFacts(kept));
    tellHearers([]);
  } catch {
    // The stream will say that the hub is away; its return fills again.
  }
}

function countRate(): void {
  const since = Date.now() - rateWindowMs;
  arrivals = arrivals.filter((when) => when > since);
  const rate = Math.round(arrivals.length / (rateWindowMs / 1000));
  if (rate !== live.rate && live.phase !== "paused") change({ rate });
}

function change(part: Partial<Live>): void {
  live = { ...live, ...part };
  for (const listener of listeners) listener();
}

function tellHearers(facts: readonly Fact[], stats?: StatsPage): void {
  for (const hearer of hearers) hearer(facts, stats);
}

function subscribe(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
