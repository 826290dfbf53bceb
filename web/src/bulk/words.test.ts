import { expect, test } from "vitest";
import type { Action } from "../actions/actions";
import type { BulkState } from "../api/shapes";
import { tallyOf, tallyWords, wishLine, wishOf } from "./words";

const stands = (changed: number, skipped = 0): BulkState => ({
  id: "op",
  verb: "rescue",
  filter: "status:dead",
  state: "running",
  matched: changed + skipped,
  changed,
  skipped,
  actor: "ada",
});
const action = (name: Action["name"], command: string, narrows?: string) => ({ name, command, narrows }) as Action;
const rescue = action("rescue", "tq rescue");
const requeue = action("requeue", "tq requeue", "status:scheduled");
const force = action("force", "tq cancel --force", "status:running");

test("more than were counted are counted too", () => {
  expect(tallyOf(stands(5), { matched: 3, changed: 3 })).toEqual({ changed: 5, of: 5, left: 0, share: 1 });
});

test("what was never to be changed is no remark, what has moved on is", () => {
  const counted = { matched: 10, changed: 8 };
  expect(tallyOf(stands(3, 2), counted)).toEqual({ changed: 3, of: 8, left: 0, share: 0.5 });
  expect(tallyOf(stands(7, 3), counted)).toEqual({ changed: 7, of: 8, left: 1, share: 1 });
});

test("a tally in words", () => {
  expect(tallyWords({ changed: 1200, of: 2000, left: 0, share: 0 }, "rescued")).toBe("1,200 of 2,000 rescued");
  expect(tallyWords({ changed: 2, of: 3, left: 1, share: 1 }, "deleted")).toBe("2 of 3 deleted, 1 task left as it is");
});

test("each action selects no more than it is meant for", () => {
  expect(wishOf(rescue, "queue:a")).toEqual({ verb: "rescue", filter: "queue:a" });
  expect(wishOf(requeue, "queue:a")).toEqual({ verb: "requeue", filter: "queue:a status:scheduled" });
  expect(wishOf(force, "queue:a")).toEqual({ verb: "cancel", filter: "queue:a status:running", force: true });
});

test("the command line says the same", () => {
  expect(wishLine(rescue, "status:dead", 0)).toBe("tq rescue --filter status:dead");
  expect(wishLine(force, 'a "b c"', 5)).toBe(`tq cancel --force --filter 'a "b c" status:running' --rate 5/s`);
});
