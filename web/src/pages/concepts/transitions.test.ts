import { expect, test } from "vitest";
import type { Fact } from "../../api/shapes";
import { lately, transitionOf, transitions } from "./transitions";

const fact = (kind: string, over: Partial<Fact> = {}) =>
  ({ seq: 1, task_id: 1, kind: `task.${kind}`, epoch: 1, attempt: 1, at: "2026-11-29T16:00:00Z", ...over }) as Fact;

const told = (kind: string, over?: Partial<Fact>) => transitionOf(fact(kind, over))?.id;

test("each fact tells of its own transition", () => {
  expect(told("enqueued", { status: "pending" })).toBe("enqueue");
  expect(told("enqueued", { status: "blocked" })).toBe("hold");
  expect(told("claimed")).toBe("claim");
  expect(told("completed")).toBe("complete");
  expect(told("completed", { detail: { late: true } })).toBe("late");
  expect(told("failed", { status: "pending" })).toBe("fail");
  expect(told("failed", { status: "dead" })).toBeUndefined(); // its dead-lettered fact says it
  expect(told("dead-lettered")).toBe("die");
  expect(told("lease-expired", { status: "pending" })).toBe("expire");
});

test("every transition is told by some fact, and has an id of its own", () => {
  expect(new Set(transitions.map(({ id }) => id)).size).toBe(transitions.length);
  for (const { fact: kind, promise, number } of transitions) {
    expect(kind).toMatch(/^task\.[a-z-]+$/);
    expect(promise).toMatch(/\.$/);
    expect(number).toMatch(/^S\d+(, S\d+)*$/);
  }
});

test("only the last minute is counted", () => {
  const now = Date.parse("2026-11-29T16:00:30Z");
  const facts = [fact("claimed"), fact("claimed"), fact("claimed", { at: "2026-11-29T15:58:00Z" })];
  expect(lately(facts, now).get("claim")).toBe(2);
});
