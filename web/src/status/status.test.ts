import { expect, test } from "vitest";
import { labelAfter, labelOf } from "./status";

const now = Date.parse("2026-11-29T16:00:00Z");

test("pending reads ready, scheduled or retrying", () => {
  const later = "2026-11-29T16:00:01Z";
  expect(labelOf({ status: "pending", attempt: 0, run_at: "2026-11-29T16:00:00Z" }, now)).toBe("ready");
  expect(labelOf({ status: "pending", attempt: 0, run_at: later }, now)).toBe("scheduled");
  expect(labelOf({ status: "pending", attempt: 2, run_at: later }, now)).toBe("retrying");
  expect(labelOf({ status: "pending", attempt: 2 }, now)).toBe("ready");
});

test("every other status is its own word", () => {
  for (const status of ["blocked", "running", "completed", "dead", "cancelled"]) {
    expect(labelOf({ status, attempt: 1 }, now)).toBe(status);
  }
});

test("a failure that will be tried again leaves the task retrying", () => {
  const fact = {
    status: "pending",
    attempt: 1,
    at: "2026-11-29T16:00:00Z",
    detail: { run_at: "2026-11-29T16:00:02Z" },
  };
  expect(labelAfter(fact)).toBe("retrying");
});
