// What the hub counted, as lines: its answer leaves out steps in which nothing
// happened, a line has a point for each.
import type { SeriesPage } from "../../api/shapes";

export interface Lines {
  at: number[]; // the start of each step, in seconds since 1970
  enqueued: number[]; // a minute
  completed: number[];
  failed: number[];
  wait: (number | null)[]; // p95 in seconds; null when nothing was claimed
  run: (number | null)[];
}

export function linesOf({ from, now, step_seconds: step, points }: SeriesPage): Lines {
  const start = Math.round(Date.parse(from) / 1000);
  const end = Date.parse(now) / 1000;
  const at = Array.from({ length: Math.max(1, Math.ceil((end - start) / step)) }, (_, i) => start + i * step);
  const known = new Map(points.map((point) => [Math.round(Date.parse(point.at) / 1000), point]));
  // The step that is not over is counted by what of it has gone by, at least half.
  const minutes = (begin: number) => Math.min(step, Math.max(step / 2, end - begin)) / 60;
  const rate = (of: "enqueued" | "completed" | "failed") =>
    at.map((begin) => (known.get(begin)?.[of] ?? 0) / minutes(begin));
  const p95 = (of: "wait" | "run") =>
    at.map((begin) => {
      const spread = known.get(begin)?.[of];
      return spread && spread.n > 0 ? (spread.p95_seconds ?? 0) : null;
    });
  return {
    at,
    enqueued: rate("enqueued"),
    completed: rate("completed"),
    failed: rate("failed"),
    wait: p95("wait"),
    run: p95("run"),
  };
}

/** How far back one can look: each is one fineness that the hub keeps, but for the first. */
export const ranges = [
  { seconds: 600, name: "10 min" },
  { seconds: 7200, name: "2 h" },
  { seconds: 172_800, name: "48 h" },
  { seconds: 7_776_000, name: "90 days" },
] as const;
