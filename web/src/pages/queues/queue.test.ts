import { expect, test } from "vitest";
import type { Stats } from "../../api/shapes";
import { goesWithPurge, purgeWords, queuesWords, queueWords } from "./words";

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

test("a queue in one sentence", () => {
  expect(queueWords(none)).toBe("nothing waits and nothing runs.");
  expect(queueWords({ ...none, running: 2, ready: 5, oldest_ready_seconds: 130, paused: true })).toBe(
    "2 running and 5 ready, the oldest for 2m 10s. It is paused: nothing more is claimed.",
  );
});

test("what holds queues up is named", () => {
  const queues = ["a", "b"].map((queue) => ({ ...none, queue, paused: queue === "b" }));
  expect(queuesWords(queues, ["a"])).toBe("Two queues. b is paused. a has no worker.");
  expect(queuesWords([{ ...none, queue: "a" }], [])).toBe("One queue. None is held up.");
});

test("a purge counts all but what runs", () => {
  const of = {
    ...none,
    ready: 1,
    scheduled: 2,
    retrying: 1,
    blocked: 4,
    running: 8,
    completed: 16,
    dead: 32,
    cancelled: 64,
  };
  expect(goesWithPurge(of)).toBe(119);
  expect(purgeWords({ queue: "a", deleted: 1200, kept: 2, running: 1 })).toBe(
    "Deleted 1,200 tasks, kept 2 that others wait for, 1 still runs.",
  );
});
