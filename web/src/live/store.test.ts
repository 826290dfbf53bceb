import { beforeEach, expect, test, vi } from "vitest";
import type { Fact } from "../api/shapes";
import type { News } from "./stream";

// The stream and the hub's answers, both in the test's hand.
const hands = vi.hoisted(() => ({
  tell: undefined as ((news: News) => void) | undefined,
  answers: [] as { resolve: (facts: Fact[]) => void; reject: (reason: Error) => void }[],
}));

vi.mock("./channel", () => ({
  connect: (_: string, tell: (news: News) => void) => {
    hands.tell = tell;
    return { by: "own stream", close: () => undefined };
  },
}));
vi.mock("../api/place", () => ({ at: (path: string) => path }));
vi.mock("../api/queries", () => ({
  newestFacts: () => Promise.resolve([]),
  factsAfter: () => new Promise((resolve, reject) => hands.answers.push({ resolve, reject })),
}));

const down = () => hands.tell?.({ kind: "down", retryAt: 0 });

beforeEach(() => {
  vi.resetModules();
  vi.useFakeTimers();
  vi.stubGlobal("document", { hidden: false });
  hands.answers = [];
});

/** A page that has lost its stream and is in the middle of asking instead. */
async function asking() {
  const store = await import("./store");
  store.start();
  for (let tries = 0; tries < 3; tries++) down();
  await vi.advanceTimersByTimeAsync(5000);
  expect(hands.answers.length, "questions on the beat").toBe(1);
  return store;
}

test("an answer that comes when the stream stands again does not take the page off it", async () => {
  const store = await asking();
  hands.tell?.({ kind: "open" });
  hands.answers[0]?.resolve([]);
  await vi.advanceTimersByTimeAsync(0);
  expect(store.getLive().phase).toBe("live");
});

test("nor does a question that failed", async () => {
  const store = await asking();
  hands.tell?.({ kind: "open" });
  hands.answers[0]?.reject(new Error("the hub was away"));
  await vi.advanceTimersByTimeAsync(0);
  expect(store.getLive().phase).toBe("live");
});

test("an answer that comes to a paused page leaves it paused", async () => {
  const store = await asking();
  store.pause(true);
  hands.answers[0]?.resolve([]);
  await vi.advanceTimersByTimeAsync(0);
  expect(store.getLive().phase).toBe("paused");
});

test("while no stream comes through the page asks", async () => {
  const store = await asking();
  hands.answers[0]?.resolve([]);
  await vi.advanceTimersByTimeAsync(0);
  expect(store.getLive().phase).toBe("polling");
});
