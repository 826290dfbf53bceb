import { expect, test } from "vitest";
import type { SeriesPage } from "../../api/shapes";
import { linesOf } from "./series";

const none = { n: 0 };
const at = (second: number) => `2026-11-30T12:00:${second}.000Z`;
const empty = { enqueued: 0, claimed: 0, completed: 0, failed: 0, dead: 0, cancelled: 0, wait: none, run: none };

function page(over: Partial<SeriesPage>): SeriesPage {
  const from = "2026-11-30T12:00:00.000Z";
  return { from, now: at(45), step_seconds: 10, points: [], total: { ...empty, at: from }, ...over };
}

test("a step in which nothing happened is zero, and has no length of waiting", () => {
  const lines = linesOf(page({}));
  expect(lines.at).toHaveLength(5);
  expect(lines.completed).toEqual([0, 0, 0, 0, 0]);
  expect(lines.wait).toEqual([null, null, null, null, null]);
});

test("counts become rates a minute, the open step by what has gone by", () => {
  const points = [
    { ...empty, at: at(10), enqueued: 5, wait: { n: 2, p95_seconds: 3 } },
    { ...empty, at: at(40), enqueued: 5, run: { n: 1 } },
  ];
  const lines = linesOf(page({ points }));
  expect(lines.enqueued).toEqual([0, 30, 0, 0, 60]);
  expect(lines.wait[1]).toBe(3);
  expect(lines.run[4], "too short to be counted in milliseconds").toBe(0);
});
