import { expect, test } from "vitest";
import { pieces, verdict } from "./rescue";

const after = (status: string, epoch: number) => verdict({ status, epoch }, 3);

test("what the first one says of the rest", () => {
  expect(["pending", "running"].map((status) => after(status, 4))).toEqual(["wait", "wait"]);
  expect(["completed", "dead", "cancelled"].map((status) => after(status, 4))).toEqual(["good", "bad", "bad"]);
  expect(after("dead", 3), "still dead of what it died of before").toBe("wait");
});

test("a title tells what differs from what looks like markup", () => {
  expect(pieces("after <n> s <b>")).toEqual([
    { text: "after ", varies: false },
    { text: "<n>", varies: true },
    { text: " s <b>", varies: false },
  ]);
});
