// A task's life out of its facts: one stretch after the other, since a task
// stands at exactly one status at any time, sorted into a lane for each epoch.
import type { Fact } from "../../api/shapes";
import { isEnded, type Label, labelAfter } from "../../status/status";

export interface Stretch {
  label: Label;
  from: number; // milliseconds since 1970
  to: number;
  open: boolean; // goes on now
  x: number; // where it is drawn and how long, as shares of the whole
  width: number;
  squeezed: boolean; // drawn shorter than it was
  ended?: "lost" | "failed" | "released"; // how a running stretch ended, when not well
  by?: string;
  marks: Mark[];
}

export interface Mark {
  kind: "heartbeat" | "cancel" | "fence" | "late";
  x: number;
  text: string;
}

export interface Lane {
  name: string;
  stretches: Stretch[];
}

const idleFactor = 10; // a stretch this many times longer than the median is squeezed
const shortest = 0.006; // share of the whole that can still be seen

/** The lanes of a task, oldest first; now is the hub's time. */
export function lanes(facts: readonly Fact[], now: number): Lane[] {
  const stretches = placed(chain(facts, now));
  for (const stretch of stretches) stretch.marks = marksOf(stretch, facts);
  return sorted(stretches, facts);
}

type Chained = Omit<Stretch, "x" | "width" | "squeezed">;

function chain(facts: readonly Fact[], now: number): Chained[] {
  const out: Chained[] = [];
  facts.forEach((fact, i) => {
    if (!fact.status || isEnded(fact.status)) return;
    const next = facts.slice(i + 1).find((later) => later.status && !keepsRunning(fact, later));
    const last = i > 0 ? facts[i - 1] : undefined;
    if (last && keepsRunning(last, fact)) return;
    const from = Date.parse(fact.at);
    const to = Math.max(from, next ? Date.parse(next.at) : now);
    out.push(...split(fact, from, to, next));
  });
  return out;
}

/** A heartbeat or a wish to cancel changes nothing about where the task stands. */
function keepsRunning(before: Fact, after: Fact): boolean {
  return before.status === "running" && after.status === "running" && before.epoch === after.epoch;
}

/** A pending task first waits for its time and then for a worker. */
function split(fact: Fact, from: number, to: number, next: Fact | undefined): Chained[] {
  const label = labelAfter(fact);
  const base = { open: next === undefined, marks: [] };
  if (label === "running") return [{ ...base, label, from, to, by: fact.actor, ended: endOf(next) }];
  const due = fact.detail?.run_at ? Date.parse(fact.detail.run_at) : from;
  if (label === "blocked" || label === "ready" || due >= to) return [{ ...base, label, from, to }];
  return [
    { ...base, label, from, to: due, open: false },
    { ...base, label: "ready", from: due, to },
  ];
}

function endOf(next: Fact | undefined): Stretch["ended"] {
  switch (next?.kind) {
    case "task.lease-expired":
      return "lost";
    case "task.failed":
    case "task.dead-lettered":
      return "failed";
    case "task.released":
      return "released";
  }
  return undefined;
}

function placed(chained: readonly Chained[]): Stretch[] {
  const lengths = chained.map(({ from, to }) => to - from);
  const limit = Math.max(1, median(lengths.filter((length) => length > 0)) * idleFactor);
  const drawn = lengths.map((length) => Math.min(length, limit));
  const floor = drawn.reduce((sum, length) => sum + length, 0) * shortest || 1;
  const sizes = drawn.map((length) => Math.max(length, floor));
  const whole = sizes.reduce((sum, size) => sum + size, 0);
  let x = 0;
  return chained.map((stretch, i) => {
    const width = (sizes[i] ?? 0) / whole;
    const out = { ...stretch, x, width, squeezed: (lengths[i] ?? 0) > limit };
    x += width;
    return out;
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
}

function marksOf(stretch: Stretch, facts: readonly Fact[]): Mark[] {
  const marks: Mark[] = [];
  facts.forEach((fact, i) => {
    const at = Date.parse(fact.at);
    if (at < stretch.from || at > stretch.to) return;
    const share = stretch.to > stretch.from ? (at - stretch.from) / (stretch.to - stretch.from) : 0;
    const mark = markOf(fact, facts.slice(0, i), stretch);
    if (mark) marks.push({ ...mark, x: stretch.x + stretch.width * share });
  });
  return marks;
}

function markOf(fact: Fact, before: readonly Fact[], { label, from }: Stretch): Omit<Mark, "x"> | undefined {
  const at = Date.parse(fact.at);
  if (label === "running" && fact.kind === "task.heartbeat") {
    return { kind: "heartbeat", text: `heartbeat${fact.detail?.note ? `: ${fact.detail.note}` : ""}` };
  }
  if (label === "running" && fact.kind === "task.cancel-requested")
    return { kind: "cancel", text: "cancel was requested" };
  if (label === "running" && fact.kind === "task.claimed" && at === from) return fence(fact, before);
  if (label !== "running" && fact.detail?.late) {
    return { kind: "late", text: "completed after its lease had run out, and taken: nobody else had it" };
  }
  return undefined;
}

/** A claim after a lease that ran out shuts its last holder out. */
function fence(claim: Fact, before: readonly Fact[]): Omit<Mark, "x"> | undefined {
  const lost = before.findLast((fact) => fact.kind === "task.lease-expired");
  const since = lost && before.slice(before.indexOf(lost)).some((fact) => fact.kind === "task.claimed");
  if (!lost || since) return undefined;
  const holder = before.findLast((fact) => fact.kind === "task.claimed")?.actor ?? "the last holder";
  return {
    kind: "fence",
    text: `from here whatever ${holder} reports is refused: fence ${lost.epoch} < ${claim.epoch}`,
  };
}

/** A lane ends with each running stretch; what comes before it is how long that attempt had to wait. */
function sorted(stretches: readonly Stretch[], facts: readonly Fact[]): Lane[] {
  const claims = facts.filter((fact) => fact.kind === "task.claimed");
  const out: Lane[] = [];
  let current: Stretch[] = [];
  for (const stretch of stretches) {
    current.push(stretch);
    if (stretch.label !== "running") continue;
    out.push({ name: `attempt ${claims[out.length]?.attempt ?? out.length + 1}`, stretches: current });
    current = [];
  }
  if (current.length > 0) out.push({ name: out.length > 0 ? "since then" : "waiting", stretches: current });
  return out;
}
