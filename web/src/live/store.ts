// What the page knows of the hub's life: the newest facts, their rate, and
// whether the connection stands. It lives outside of React and tells its
// readers at most once a frame, however many facts there are.
import { useSyncExternalStore } from "react";
import { factsAfter, newestFacts } from "../api/queries";
import { at } from "../api/place";
import type { Fact, Overview } from "../api/shapes";
import { type Channel, connect } from "./channel";
import { type Journal, merge } from "./journal";
import type { News } from "./stream";

export type Phase = "connecting" | "live" | "paused" | "reconnecting" | "polling";

export interface Live {
  phase: Phase;
  by: Channel | undefined;
  retryAt: number; // while reconnecting, by this browser's clock
  rate: number; // facts a second, over the last five
  facts: readonly Fact[]; // newest first
  outdated: boolean; // the hub is of another version than the one this page came from
}

type Listener = () => void;
type Hearer = (facts: readonly Fact[], overview?: Overview) => void;

const kept = 1000;
const patience = 3; // failures to connect before asking on a beat instead
const pollMs = 5000;
const rateWindowMs = 5000;

let live: Live = { phase: "connecting", by: undefined, retryAt: 0, rate: 0, facts: [], outdated: false };
let connected = false; // what the stream says, also while paused
let leave: () => void = () => undefined;
let version: string | undefined; // of the hub, when this page came
let failures = 0;
let asking = false; // a question on the beat is still open
let polling: ReturnType<typeof setInterval> | undefined;
let arrivals: number[] = [];
let frame = 0;
let journal: Journal = { facts: [], full: false };
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
  journal = { facts: [], full: false };
  connected = false;
  change({ phase: "connecting", facts: [] });
  join();
}

function join(): void {
  const { by, close } = connect(at("/v1/events"), hear);
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
  if (news.kind === "hello") return greet(news.version);
  if (live.phase === "paused") return;
  if (news.kind === "lagged") return void fill();
  if (news.kind === "overview") return tellHearers([], JSON.parse(news.overview) as Overview);
  arrivals.push(...news.facts.map(() => Date.now()));
  tellFresh(take(news.facts.map((text) => JSON.parse(text) as Fact)));
}

/** Another version may have other pages and other answers. */
function greet(now: string): void {
  version ??= now;
  if (now !== version && !live.outdated) change({ outdated: true });
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
  if (!before) void catchUp();
}

/** Some proxies swallow streams: then the page asks, one question at a time. */
async function poll(): Promise<void> {
  if (asking || live.phase === "paused" || document.hidden) return;
  asking = true;
  const facts = await factsAfter(journal.facts[0]?.seq ?? 0, kept).catch(() => undefined);
  asking = false;
  if (getLive().phase === "paused") return; // meanwhile
  if (facts) tellFresh(take(facts));
  if (!connected) change({ phase: facts ? "polling" : "reconnecting" });
}

/** Takes facts in, each once, and shows them with the next frame. */
function take(facts: readonly Fact[]): Fact[] {
  const merged = merge(journal, facts, kept);
  journal = merged.journal;
  if (merged.fresh.length > 0) frame ||= requestAnimationFrame(show);
  return merged.fresh;
}

function show(): void {
  frame = 0;
  change({ facts: journal.facts });
}

/** The newest facts there are, for a page that has just come or was away: anything may have changed. */
async function fill(): Promise<void> {
  try {
    take(await newestFacts(kept));
    tellHearers([]);
  } catch {
    // The stream will say that the hub is away; its return fills again.
  }
}

/** What was missed while nothing was connected. */
async function catchUp(): Promise<void> {
  const last = journal.facts[0]?.seq;
  if (last === undefined) return fill();
  try {
    const missed = await factsAfter(last, kept);
    if (missed.length === kept) return await fill(); // and maybe more
    tellFresh(take(missed));
    tellHearers([]);
  } catch {
    // As above.
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

function tellFresh(facts: readonly Fact[]): void {
  if (facts.length > 0) tellHearers(facts);
}

/** No facts mean that anything may have changed. */
function tellHearers(facts: readonly Fact[], overview?: Overview): void {
  for (const hearer of hearers) hearer(facts, overview);
}

function subscribe(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
