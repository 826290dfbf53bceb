import { expect, test } from "vitest";
import { pieces, rescueRest, type Tally, tallyWords, verdict, type World } from "./rescue";

function world(over: Partial<World> = {}) {
  const calls: number[][] = [];
  const rests: number[] = [];
  const made: World = {
    rescue: (ids) => {
      calls.push([...ids]);
      return Promise.resolve(ids.map((id) => ({ id, changed: true })));
    },
    more: () => Promise.resolve([]),
    rest: (ms) => {
      rests.push(ms);
      return Promise.resolve();
    },
    cancelled: () => false,
    ...over,
  };
  return { made, calls, rests };
}

const after = (status: string, epoch: number) => verdict({ status, epoch }, 3);
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

test("the rest goes at the rate that was asked for", async () => {
  const { made, calls, rests } = world();
  await rescueRest(upTo(12), 12, 5, made, () => undefined);
  expect(calls.map((ids) => ids.length)).toEqual([5, 5, 2]);
  expect(rests).toEqual([1000, 1000]);
});

test("without a rate it goes in batches of a thousand, without rests", async () => {
  const { made, calls, rests } = world();
  await rescueRest(upTo(2500), 2500, 0, made, () => undefined);
  expect(calls.map((ids) => ids.length)).toEqual([1000, 1000, 500]);
  expect(rests).toEqual([]);
});

test("a rate below one a second rests longer", async () => {
  const { made, rests } = world();
  await rescueRest(upTo(2), 2, 0.5, made, () => undefined);
  expect(rests).toEqual([2000]);
});

test("what is beyond the first thousand is asked for, and what died again is not tried twice", async () => {
  const answers = [
    [1, 2, 3, 4],
    [3, 4],
  ];
  const { made, calls } = world({ more: () => Promise.resolve(answers.shift() ?? []) });
  const tally = await rescueRest([1, 2], 4, 0, made, () => undefined);
  expect(calls).toEqual([
    [1, 2],
    [3, 4],
  ]);
  expect(tally).toEqual({ rescued: 4, refused: 0, of: 4 });
});

test("refusals are counted and hold up nothing", async () => {
  const error = { code: "invalid_state", detail: "no" };
  const { made } = world({
    rescue: (ids) => Promise.resolve(ids.map((id) => ({ id, changed: id !== 2, error: id === 2 ? error : undefined }))),
  });
  expect(await rescueRest(upTo(3), 3, 0, made, () => undefined)).toEqual({ rescued: 2, refused: 1, of: 3 });
});

test("it stops between two batches", async () => {
  let stop = false;
  const told: Tally[] = [];
  const { made, calls } = world({ cancelled: () => stop });
  await rescueRest(upTo(9), 9, 3, made, (tally) => {
    told.push(tally);
    stop = tally.rescued >= 3;
  });
  expect(calls).toEqual([[1, 2, 3]]);
  expect(told.at(-1)).toEqual({ rescued: 3, refused: 0, of: 9 });
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
