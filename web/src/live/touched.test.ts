import { expect, test } from "vitest";
import type { Fact } from "../api/shapes";
import { touched } from "./touched";

const fact = (kind: Fact["kind"], more: Partial<Fact> = {}): Fact => ({
  seq: 1,
  task_id: 7,
  kind,
  epoch: 1,
  attempt: 1,
  at: "2026-11-29T16:00:00Z",
  ...more,
});
const first = (of: Fact) => touched(of).map(([word]) => word);

test("a fact of a task makes the lists, the counts and that task stale", () => {
  expect(touched(fact("task.enqueued"))).toEqual([["tasks"], ["stats"], ["task", 7]]);
});

test("what was grouped by cause is asked for again only when the dead have changed", () => {
  expect(first(fact("task.dead-lettered"))).toContain("errors");
  expect(first(fact("task.rescued"))).toContain("errors");
  expect(first(fact("task.completed", { settles: true }))).not.toContain("errors");
});

test("the fleet changes with claims and what ends them", () => {
  expect(first(fact("task.claimed"))).toContain("workers");
  expect(first(fact("task.completed", { settles: true }))).toContain("workers");
  expect(first(fact("worker.removed"))).toEqual(["workers"]);
});

test("a pause touches no task", () => {
  expect(first(fact("queue.paused"))).toEqual(["stats", "queues"]);
});
