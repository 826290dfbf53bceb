// Rates and waits out of the journal's facts, as far back as the page has them.
import type { Fact } from "../../api/shapes";

export interface Series {
  at: number[]; // the start of each step, in seconds since 1970
  completed: number[]; // a second
  failed: number[];
  wait: (number | null)[]; // p95 from ready to claimed, in seconds; null when nothing was claimed
}

/** Steps of step seconds up to now (ms), from facts in any order. */
export function series(facts: readonly Fact[], now: number, step: number, steps: number): Series {
  const end = Math.floor(now / 1000 / step) * step;
  const start = end - (steps - 1) * step;
  const slot = (at: number) => Math.floor((at / 1000 - start) / step);
  const out: Series = {
    at: Array.from({ length: steps }, (_, i) => start + i * step),
    completed: Array.from({ length: steps }, () => 0),
    failed: Array.from({ length: steps }, () => 0),
    wait: Array.from({ length: steps }, () => null),
  };
  const waits: number[][] = Array.from({ length: steps }, () => []);
  const readyAt = new Map<number, number>();
  for (const fact of facts.toSorted((a, b) => a.seq - b.seq)) {
    const at = Date.parse(fact.at);
    const i = slot(at);
    if (fact.kind === "task.completed") count(out.completed, i, step);
    if (fact.kind === "task.failed" || fact.kind === "task.lease-expired") count(out.failed, i, step);
    const waited = follow(readyAt, fact, at);
    if (waited !== undefined) waits[i]?.push(waited);
  }
  waits.forEach((seen, i) => {
    if (seen.length > 0) out.wait[i] = percentile(seen, 0.95);
  });
  return out;
}

function count(rates: number[], i: number, step: number): void {
  if (i >= 0 && i < rates.length) rates[i] = (rates[i] ?? 0) + 1 / step;
}

/** Keeps when each task became claimable; answers how long it waited when it is claimed. */
function follow(readyAt: Map<number, number>, fact: Fact, at: number): number | undefined {
  const id = fact.task_id ?? 0;
  if (fact.kind === "task.claimed") {
    const since = readyAt.get(id);
    readyAt.delete(id);
    return since === undefined ? undefined : Math.max(0, at - since) / 1000;
  }
  if (fact.status === "pending")
    readyAt.set(id, fact.detail?.run_at ? Math.max(at, Date.parse(fact.detail.run_at)) : at);
  return undefined;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
