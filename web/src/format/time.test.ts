import { expect, test } from "vitest";
import { brief, clock, duration, exact, relative } from "./time";

test.each([
  [-5, "0 ms"],
  [0, "0 ms"],
  [0.21, "210 ms"],
  [1, "1 s"],
  [8.24, "8.2 s"],
  [41.9, "41 s"],
  [130, "2m 10s"],
  [3599.9, "59m 59s"],
  [3840, "1h 04m"],
  [273_600, "3d 4h"],
])("a duration of %d s reads %s", (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

test("a countdown shows whole seconds", () => {
  expect(brief(8.9)).toBe("8 s");
  expect(brief(-1)).toBe("0 s");
  expect(brief(61.7)).toBe("1m 01s");
});

test("an instant reads relative to the hub's clock, whichever side it lies on", () => {
  expect(relative(1000, 1500)).toBe("now");
  expect(relative(0, 12_400)).toBe("12 s ago");
  expect(relative(185_000, 0)).toBe("in 3m 05s");
});

test("a time of another day says which", () => {
  const at = Date.parse("2026-11-28T16:02:11Z");
  expect(clock(at, at + 1000, true)).toBe("16:02:11");
  expect(clock(at, at + 86_400_000, true)).toBe("2026-11-28 16:02:11");
});

test("no time has no exact text", () => {
  expect(exact(Number.NaN)).toBe("");
});
