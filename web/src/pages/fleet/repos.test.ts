import { expect, test } from "vitest";
import type { Repo } from "../../api/shapes";
import { backlogWords, endedWords, flightWords } from "./repos";

const repo = (over: Partial<Repo>) =>
  ({ project: "shop", ready: 0, scheduled: 0, running: 0, completed: 0, dead: 0, ...over }) as Repo;

test("a backlog in words", () => {
  expect(backlogWords(repo({}))).toBe("not harvested");
  expect(backlogWords(repo({ backlog: 0 }))).toBe("none open");
  expect(backlogWords(repo({ backlog: 1 }))).toBe("1 point open");
  expect(backlogWords(repo({ backlog: 12, left_alone: 2 }))).toBe("12 points open, 2 left alone");
});

test("what is in flight and what has ended", () => {
  expect(flightWords(repo({}))).toBe("nothing");
  expect(flightWords(repo({ running: 1, ready: 1, scheduled: 1 }))).toBe("1 running, 2 waiting");
  expect(endedWords(repo({ completed: 31 }))).toBe("31 done");
  expect(endedWords(repo({ completed: 31, dead: 1 }))).toBe("31 done, 1 dead");
});
