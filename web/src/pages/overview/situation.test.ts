import { expect, test } from "vitest";
import type { Stats, StatsPage, Worker } from "../../api/shapes";
import { isEmpty, situation, starved } from "./situation";

const none: Stats = {
  ready: 0,
  scheduled: 0,
  retrying: 0,
  blocked: 0,
  running: 0,
  completed: 0,
  dead: 0,
  cancelled: 0,
};

function page(
  total: Partial<Stats>,
  workers: Partial<StatsPage["workers"]> = {},
  queues: Partial<Stats>[] = [],
): StatsPage {
  return {
    queues: queues.map((queue) => ({ ...none, ...queue })),
    total: { ...none, ...total },
    workers: { busy: 0, idle: 0, lost: 0, ...workers },
  };
}

const text = (of: StatsPage, fleet?: Worker[]) =>
  situation(of, fleet)
    .map((part) => part.text)
    .join("");

const worker = (state: string, queues?: string[]): Worker => ({ state, queues, started_at: "", seen_at: "" });

test("trouble comes with its numbers, each a link to its tasks", () => {
  const hub = page({ ready: 31, oldest_ready_seconds: 130, dead: 23, blocked_by_dead: 2 }, { busy: 4, idle: 1 });
  expect(text(hub)).toBe(
    "Four of five workers are busy. 31 tasks are ready, the oldest for 2m 10s. 23 dead letters need you, and 2 tasks wait for them.",
  );
  expect(situation(hub, undefined).filter((part) => part.to)).toEqual([
    { text: "31 tasks", to: "/tasks", q: "status:ready" },
    { text: "2m 10s", to: "/tasks", q: "status:ready" },
    { text: "23 dead letters", to: "/dead", dead: true },
  ]);
});

test("the dead are told apart by what they died of", () => {
  const words = situation(page({ dead: 23 }, { idle: 1 }), [], 3).map((part) => part.text);
  expect(words.slice(-2)).toEqual(["23 dead letters", " of 3 causes need you."]);
});

test("when all is well it says so", () => {
  expect(text(page({}, { idle: 3 }))).toBe("All three workers are idle. No task is waiting. Nothing needs you.");
  expect(text(page({ running: 2 }, { busy: 2 }))).toBe(
    "Both workers are busy. No other task is waiting. Nothing needs you.",
  );
  expect(text(page({ scheduled: 2 }, { busy: 1, idle: 1 }))).toBe(
    "One of two workers is busy. No task is ready. Nothing needs you.",
  );
});

test("one is one", () => {
  expect(text(page({ ready: 1, dead: 1, blocked_by_dead: 1 }, { busy: 1, lost: 1 }))).toBe(
    "The one worker is busy. 1 worker is lost. 1 task is ready. 1 dead letter needs you, and 1 task waits for it.",
  );
});

test("paused and starved queues are named", () => {
  const queues = [
    { queue: "mail", paused: true },
    { queue: "build", ready: 3 },
    { queue: "agents", ready: 1 },
  ];
  const hub = page({ ready: 4 }, { idle: 1 }, queues);
  expect(text(hub, [worker("polling", ["agents"])])).toBe(
    "The one worker is idle. 4 tasks are ready. build has no worker. mail is paused. Nothing needs you.",
  );
});

test("a queue is starved when no living worker would take from it", () => {
  const { queues } = page({}, {}, [{ queue: "a", ready: 1 }, { queue: "b", ready: 1 }, { queue: "c" }]);
  expect(starved(queues, [worker("busy", ["a"]), worker("lost", ["b"])])).toEqual(["b"]);
  expect(starved(queues, [worker("busy")])).toEqual([]);
});

test("a store that was never used is empty", () => {
  expect(isEmpty(page({}))).toBe(true);
  expect(isEmpty(page({}, { lost: 1 }))).toBe(false);
});
