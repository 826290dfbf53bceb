import { expect, test } from "vitest";
import type { Fact } from "../../api/shapes";
import { percentile, series } from "./series";

const start = Date.parse("2026-11-29T16:00:00Z");
let seq = 0;

function fact(second: number, kind: Fact["kind"], more: Partial<Fact> = {}): Fact {
  return {
    seq: ++seq,
    kind,
    task_id: 1,
    epoch: 1,
    attempt: 1,
    at: new Date(start + second * 1000).toISOString(),
    ...more,
  };
}

test("completions and failures count in their step, as a rate a second", () => {
  const facts = [
    fact(1, "task.completed"),
    fact(2, "task.completed"),
    fact(12, "task.failed"),
    fact(-50, "task.completed"),
  ];
  const got = series(facts, start + 19_000, 10, 3);
  expect(got.at.map((at) => at - start / 1000)).toEqual([-10, 0, 10]);
  expect(got.completed).toEqual([0, 0.2, 0]);
  expect(got.failed).toEqual([0, 0, 0.1]);
});

test("a wait runs from ready to claimed, and not from before a task was due", () => {
  const due = new Date(start + 5000).toISOString();
  const facts = [
    fact(0, "task.enqueued", { status: "pending", detail: { run_at: due } }),
    fact(7, "task.claimed", { status: "running" }),
    fact(8, "task.enqueued", { status: "pending", task_id: 2 }),
    fact(9, "task.claimed", { status: "running", task_id: 2 }),
    fact(9, "task.claimed", { status: "running", task_id: 3 }),
  ];
  expect(series(facts.toReversed(), start + 9500, 10, 1).wait).toEqual([2]);
});

test("a step without claims has no wait", () => {
  expect(series([], start, 10, 2).wait).toEqual([null, null]);
});

test("the percentile is a value that was seen", () => {
  expect(percentile([3, 1, 2], 0.5)).toBe(2);
  expect(percentile([1, 2, 3, 4], 0.95)).toBe(4);
  expect(percentile([], 0.5)).toBe(0);
});
