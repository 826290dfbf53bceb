import { expect, test } from "vitest";
import type { BulkState } from "../../api/shapes";
import { filterOf, follow, pieces, rescueLine, type Tally, tallyWords, verdict } from "./rescue";

const after = (status: string, epoch: number) => verdict({ status, epoch }, 3);
const stands = (state: string, changed: number, skipped = 0): BulkState => ({
  id: "op",
  verb: "rescue",
  filter: filterOf("ab12"),
  state,
  matched: changed + skipped,
  changed,
  skipped,
  actor: "ada",
});

test("the operation is followed to its end", async () => {
  const answers = [stands("running", 5), stands("done", 11, 1)];
  const told: Tally[] = [];
  const asked: string[] = [];
  const state = (id: string) => {
    asked.push(id);
    return Promise.resolve(answers.shift() ?? stands("failed", 0));
  };
  const end = await follow(
    stands("running", 0),
    12,
    state,
    () => false,
    (tally) => told.push(tally),
  );
  expect(asked).toEqual(["op", "op"]);
  expect(end.state).toBe("done");
  expect(told.map(({ rescued }) => rescued)).toEqual([0, 5, 11]);
  expect(told.at(-1)).toEqual({ rescued: 11, refused: 1, of: 12 });
});

test("who leaves asks no more", async () => {
  let left = false;
  let asked = 0;
  const state = () => {
    asked += 1;
    left = true;
    return Promise.resolve(stands("running", 1));
  };
  await follow(
    stands("running", 0),
    9,
    state,
    () => left,
    () => undefined,
  );
  expect(asked).toBe(1);
});

test("more than were counted are counted too", async () => {
  const told: Tally[] = [];
  await follow(
    stands("done", 4, 1),
    3,
    () => Promise.reject(new Error("asked")),
    () => false,
    (tally) => told.push(tally),
  );
  expect(told).toEqual([{ rescued: 4, refused: 1, of: 5 }]);
});

test("the command line says the same", () => {
  expect(rescueLine("ab12", 5)).toBe("tq rescue --filter 'status:dead fp:ab12' --rate 5/s");
  expect(rescueLine("ab12", 0)).toBe("tq rescue --filter 'status:dead fp:ab12'");
});

test("words and verdicts", () => {
  expect(tallyWords({ rescued: 1200, refused: 1, of: 2000 })).toBe("1,200 of 2,000 rescued, 1 refusal");
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
