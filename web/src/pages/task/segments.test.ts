import { expect, test } from "vitest";
import type { Fact } from "../../api/shapes";
import { lanes } from "./segments";

const start = Date.parse("2026-11-29T16:00:00Z");
const iso = (second: number) => new Date(start + second * 1000).toISOString();
let seq = 0;

function fact(second: number, kind: string, status: Fact["status"], more: Partial<Fact> = {}): Fact {
  return {
    seq: ++seq,
    task_id: 1,
    kind: `task.${kind}` as Fact["kind"],
    status,
    epoch: 0,
    attempt: 0,
    at: iso(second),
    ...more,
  };
}

const shape = (facts: Fact[], second: number) =>
  lanes(facts, start + second * 1000).map(({ name, stretches }) => [
    name,
    ...stretches.map(({ label, from, to, ended }) => `${label} ${(to - from) / 1000}${ended ? ` ${ended}` : ""}`),
  ]);

test("an attempt's lane shows its wait and its run", () => {
  const facts = [
    fact(0, "enqueued", "pending"),
    fact(2, "claimed", "running", { epoch: 1, attempt: 1 }),
    fact(5, "heartbeat", "running", { epoch: 1, attempt: 1 }),
    fact(9, "completed", "completed", { epoch: 1, attempt: 1 }),
  ];
  expect(shape(facts, 100)).toEqual([["attempt 1", "ready 2", "running 7"]]);
  expect(lanes(facts, start)[0]?.stretches[1]?.marks.map((mark) => mark.kind)).toEqual(["heartbeat"]);
});

test("a retry first waits for its time, then for a worker", () => {
  const facts = [
    fact(0, "enqueued", "pending"),
    fact(1, "claimed", "running", { epoch: 1, attempt: 1 }),
    fact(2, "failed", "pending", { epoch: 1, attempt: 1, detail: { run_at: iso(6) } }),
  ];
  expect(shape(facts, 4)).toEqual([
    ["attempt 1", "ready 1", "running 1 failed"],
    ["since then", "retrying 2"],
  ]);
  expect(shape(facts, 8)[1]).toEqual(["since then", "retrying 4", "ready 2"]);
});

test("a claim after a lost lease carries the fence against its last holder", () => {
  const facts = [
    fact(0, "enqueued", "pending"),
    fact(1, "claimed", "running", { epoch: 6, attempt: 1, actor: "runner-1" }),
    fact(31, "lease-expired", "pending", { epoch: 6, attempt: 1 }),
    fact(32, "claimed", "running", { epoch: 7, attempt: 2, actor: "runner-2" }),
  ];
  expect(shape(facts, 40)).toEqual([
    ["attempt 1", "ready 1", "running 30 lost"],
    ["attempt 2", "ready 1", "running 8"],
  ]);
  const [mark] = lanes(facts, start + 40_000)[1]?.stretches[1]?.marks ?? [];
  expect(mark).toMatchObject({ kind: "fence", text: "from here whatever runner-1 reports is refused: fence 6 < 7" });
});

test("a late completion is marked where it was taken", () => {
  const facts = [
    fact(0, "enqueued", "pending"),
    fact(1, "claimed", "running", { epoch: 1, attempt: 1 }),
    fact(31, "lease-expired", "pending", { epoch: 1, attempt: 1 }),
    fact(33, "completed", "completed", { epoch: 1, attempt: 1, detail: { late: true } }),
  ];
  expect(lanes(facts, start)[1]?.stretches[0]?.marks[0]?.kind).toBe("late");
});

test("stretches fill the line without a gap, and long idleness is squeezed", () => {
  const facts = [
    fact(0, "enqueued", "blocked"),
    fact(1, "unblocked", "pending"),
    fact(2, "claimed", "running", { epoch: 1, attempt: 1 }),
    fact(3, "failed", "pending", { epoch: 1, attempt: 1, detail: { run_at: iso(5000) } }),
  ];
  const all = lanes(facts, start + 4_000_000).flatMap((lane) => lane.stretches);
  expect(all.reduce((sum, { width }) => sum + width, 0)).toBeCloseTo(1);
  expect(all.map(({ squeezed }) => squeezed)).toEqual([false, false, false, true]);
  expect(all[1]?.x).toBeCloseTo(all[0]?.width ?? 0);
});

test("clocks that run backwards draw nothing negative", () => {
  const facts = [fact(10, "enqueued", "pending"), fact(5, "claimed", "running", { epoch: 1, attempt: 1 })];
  for (const { from, to, width } of lanes(facts, start).flatMap((lane) => lane.stretches)) {
    expect(to).toBeGreaterThanOrEqual(from);
    expect(width).toBeGreaterThan(0);
  }
});

test("a task without facts has no lanes", () => {
  expect(lanes([], start)).toEqual([]);
});
