import { expect, test } from "vitest";
import type { Worker } from "../../api/shapes";
import { fleetWords, removalWords, serves } from "./workers";

const worker = (over: Partial<Worker>) => ({ state: "polling", ...over }) as Worker;

test("a fleet in words", () => {
  expect(fleetWords({ busy: 0, idle: 0, lost: 0 })).toBe("No worker is here.");
  expect(fleetWords({ busy: 0, idle: 2, lost: 0 })).toBe("Two workers, both idle.");
  expect(fleetWords({ busy: 1, idle: 0, lost: 0 })).toBe("One worker, busy.");
  expect(fleetWords({ busy: 4, idle: 0, lost: 0 })).toBe("Four workers, all busy.");
  expect(fleetWords({ busy: 1, idle: 2, lost: 1 })).toBe("Four workers: one busy, two idle and one lost.");
});

test("a worker takes from the queues it names, by pattern too, and from all when it names none", () => {
  expect(serves(worker({}), "build")).toBe(true);
  expect(serves(worker({ queues: ["shop:*", "mail"] }), "shop:tasks")).toBe(true);
  expect(serves(worker({ queues: ["shop:*", "mail"] }), "build")).toBe(false);
  expect(serves(worker({ state: "lost" }), "build")).toBe(false);
});

test("taking out a worker that lives says what that costs", () => {
  expect(removalWords(worker({ state: "lost", running: [1, 2] }))).toBe(
    "Its 2 leases will end at once, and others may claim.",
  );
  expect(removalWords(worker({ state: "busy", running: [1] }))).toContain("comes back");
});
