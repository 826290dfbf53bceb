import { expect, test } from "vitest";
import type { Fact } from "../api/shapes";
import { patchOf } from "./patch";

const at = "2026-11-29T16:00:00.000Z";
const fact = (more: Partial<Fact>): Fact => ({
  seq: 1,
  task_id: 1,
  kind: "task.enqueued",
  epoch: 2,
  attempt: 1,
  at,
  ...more,
});

test("a claim brings a lease", () => {
  const until = "2026-11-29T16:00:30.000Z";
  const patch = patchOf(fact({ kind: "task.claimed", status: "running", actor: "w1", detail: { until } }));
  expect(patch).toMatchObject({
    status: "running",
    epoch: 2,
    lease: { worker: "w1", until, seconds_left: 30 },
    started_at: at,
  });
});

test("a failure takes the lease and leaves the error", () => {
  const patch = patchOf(fact({ kind: "task.failed", status: "pending", detail: { error: "boom", run_at: at } }));
  expect(patch).toMatchObject({ status: "pending", last_error: "boom", run_at: at });
  expect("lease" in patch && patch.lease).toBe(undefined);
});

test("an end is dated", () => {
  expect(patchOf(fact({ kind: "task.completed", status: "completed" })).ended_at).toBe(at);
});

test("progress shows without touching the status", () => {
  const patch = patchOf(fact({ kind: "task.heartbeat", detail: { fraction: 0.5, note: "140/212" } }));
  expect(patch).toEqual({ attempt: 1, epoch: 2, progress: { at, fraction: 0.5, note: "140/212" } });
});
