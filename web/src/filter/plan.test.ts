import { expect, test } from "vitest";
import { type ListedTask, plan } from "./plan";

const now = Date.parse("2026-11-29T16:00:00Z");
const task: ListedTask = {
  id: 42,
  queue: "build",
  type: "sh",
  project: "demo",
  tags: ["nightly"],
  status: "pending",
  priority: 5,
  attempt: 1,
  max_attempts: 3,
  epoch: 1,
  run_at: "2026-11-29T16:01:00Z",
  created_at: "2026-11-29T14:00:00Z",
  started_at: "2026-11-29T14:00:30Z",
  last_error: "test run timed out",
  lease: { worker: "w1", owner: "sam", until: "", seconds_left: 0 },
  payload: { shard: 7, deep: { name: "x" } },
};

const keeps = (filter: string) => plan(filter).keeps?.(task, now);

test("what the hub can select itself is asked of it, whole", () => {
  expect(plan('queue:build status:dead type:sh project:demo parent:7 key:k "timed out"')).toEqual({
    query: { queue: "build", status: "dead", type: "sh", project: "demo", parent: "7", key: "k", q: "timed out" },
    ids: undefined,
    keeps: undefined,
  });
});

test.each([
  ["queue:build,agents", true],
  ["queue:a,b", false],
  ["-type:sh", false],
  ["-type:metrics", true],
  ["status:retrying,dead", true],
  ["status:ready,dead", false],
  ["tag:nightly", true],
  ["error:timed", true],
  ["error:shard", false],
  ["worker:sam", true],
  ["try:>=1", true],
  ["try:2", false],
  ["prio:<5", false],
  ["prio:5", true],
  ["age:>1h", true],
  ["age:>3h", false],
  ["wait:>=30s", true],
  ["run:<1h", false],
  ["payload.shard:7", true],
  ["payload.deep.name:x", true],
  ["payload.shard.none:7", false],
  ["timed shard", true],
])("%s keeps the task: %s", (filter, kept) => {
  expect(keeps(filter)).toBe(kept);
});

test("payloads travel only when they are looked at", () => {
  expect(plan("queue:a").query["fields"]).toBeUndefined();
  expect(plan("payload.a:1").query["fields"]).toBe("payload");
});

test("named tasks are asked for by name", () => {
  expect(plan("#42").ids).toEqual([42]);
  expect(plan("id:1,2 status:dead").ids).toEqual([1, 2]);
});

test("what cannot be searched for is refused, not ignored", () => {
  expect(() => plan("fp:3fa2c1")).toThrow("fp cannot be searched for in this list");
});
