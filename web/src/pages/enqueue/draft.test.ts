import { expect, test } from "vitest";
import { blank, bodyOf, copyOf, lineOf, payloadText, troubles } from "./draft";

const report = { ...blank, type: "report" };

test("a payload is sent as the text that it is, with all digits", () => {
  const payload = '{"n": 9007199254740993, "e": 1.0e2, "n": 1}';
  expect(bodyOf({ ...report, payload })).toBe(`{"type":"report","queue":"default","payload":${payload}}`);
});

test("a shell command may be written bare, as a JSON string, or as an object with cmd", () => {
  expect(payloadText("sh", "go test ./...")).toBe('"go test ./..."');
  expect(payloadText("sh", "true")).toBe('"true"');
  expect(payloadText("sh", '"already"')).toBe('"already"');
  expect(payloadText("sh", '{"cmd":"ls"}')).toBe('{"cmd":"ls"}');
  expect(payloadText("sh", '{"x":1}')).toBe('"{\\"x\\":1}"');
});

test("what is left blank is not sent", () => {
  expect(bodyOf(report)).toBe('{"type":"report","queue":"default"}');
});

test("all fields reach the body and the line", () => {
  const draft = {
    ...report,
    queue: "shop:tasks",
    payload: "{}",
    key: "shard 7",
    project: "shop",
    tags: "nightly, slow",
    priority: "-5",
    delay: "5m",
    maxAttempts: "7",
    timeout: "2h",
    deps: "12, key:build",
    onDepFailure: "run" as const,
  };
  expect(JSON.parse(bodyOf(draft))).toEqual({
    type: "report",
    queue: "shop:tasks",
    payload: {},
    idempotency_key: "shard 7",
    project: "shop",
    tags: ["nightly", "slow"],
    priority: -5,
    delay_seconds: 300,
    max_attempts: 7,
    timeout_seconds: 7200,
    deps: [12, "key:build"],
    on_dep_failure: "run",
  });
  expect(lineOf(draft)).toBe(
    "tq enqueue --type report --queue shop:tasks --payload '{}' --key 'shard 7' --project shop --tag nightly,slow" +
      " --priority=-5 --delay 5m --max-attempts 7 --timeout 2h --after 12,key:build --on-dep-failure run",
  );
});

test("quotes in a payload survive a shell", () => {
  expect(lineOf({ ...report, type: "sh", payload: "echo 'it'" })).toBe(
    "tq enqueue --type sh --payload 'echo '\\''it'\\'''",
  );
});

test("what the hub would refuse is said before", () => {
  const draft = { ...blank, queue: " no", payload: "{", priority: "1.5", delay: "soon", maxAttempts: "0", deps: "x" };
  expect(Object.keys(troubles(draft)).toSorted()).toEqual([
    "delay",
    "deps",
    "maxAttempts",
    "payload",
    "priority",
    "queue",
    "type",
  ]);
  expect(troubles(report)).toEqual({});
});

test("the limit of a payload is in bytes and inclusive", () => {
  const fits = `"${"ä".repeat(65_535)}"`;
  expect(troubles({ ...report, payload: fits }).payload).toBeUndefined();
  expect(troubles({ ...report, payload: `${fits.slice(0, -1)}x"` }).payload).toContain("limit");
});

test("a copy does the same, without the key", () => {
  const task = { type: "sh", queue: "b", priority: 3, max_attempts: 2, idempotency_key: "k", tags: ["a", "b"] };
  expect(copyOf(task, '"ls"')).toEqual({
    ...blank,
    type: "sh",
    queue: "b",
    payload: '"ls"',
    priority: "3",
    maxAttempts: "2",
    tags: "a, b",
  });
});
