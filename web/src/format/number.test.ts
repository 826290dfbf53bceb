import { expect, test } from "vitest";
import { bytes, count, list, number, sentence, spelled } from "./number";

test("counts carry their noun", () => {
  expect(count(1, "task")).toBe("1 task");
  expect(count(12_418, "task")).toBe("12,418 tasks");
  expect(count(2, "queue is paused", "queues are paused")).toBe("2 queues are paused");
});

test("small numbers are spelled, large ones grouped", () => {
  expect(spelled(0)).toBe("no");
  expect(spelled(9)).toBe("nine");
  expect(spelled(10)).toBe("10");
  expect(number(1_000_000)).toBe("1,000,000");
});

test("lists read as sentences do", () => {
  expect(list([])).toBe("");
  expect(list(["a"])).toBe("a");
  expect(list(["a", "b", "c"])).toBe("a, b and c");
  expect(sentence("nothing waits.")).toBe("Nothing waits.");
});

test("sizes are in binary units", () => {
  expect([bytes(512), bytes(1536), bytes(131_072)]).toEqual(["512 B", "1.5 KiB", "128 KiB"]);
});
