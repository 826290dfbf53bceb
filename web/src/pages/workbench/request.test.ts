import { expect, test } from "vitest";
import { exampleBody, type Operation, operationsOf } from "./openapi";
import { addressOf, curlOf, lineFor, mcpOf, missing } from "./request";

const op = (over: Partial<Operation>): Operation => ({
  id: "tasks",
  method: "GET",
  path: "/v1/tasks",
  summary: "",
  group: "tasks",
  parameters: [],
  ...over,
});
const query = (name: string, type = "string") => ({ name, in: "query", schema: { type } });
const inPath = (name: string) => ({ name, in: "path", required: true });

const list = op({ parameters: [query("status"), query("q"), query("limit", "integer")] });
const enqueue = op({ id: "enqueue", method: "POST", path: "/v1/tasks", body: { type: "object" } });

test("an address holds what was filled in, and nothing unescaped", () => {
  const purge = op({ id: "queue_purge", path: "/v1/queues/{queue}/tasks", parameters: [inPath("queue")] });
  expect(addressOf({ operation: purge, values: { queue: "a/b c" }, body: "" })).toBe("/v1/queues/a%2Fb%20c/tasks");
  expect(addressOf({ operation: list, values: { status: "dead", q: "" }, body: "" })).toBe("/v1/tasks?status=dead");
  expect(missing({ operation: purge, values: {}, body: "" })).toEqual(["queue"]);
});

test("curl keeps the token out of the line and quotes the body", () => {
  expect(curlOf({ operation: enqueue, values: {}, body: '{"type":"it\'s"}' }, "http://h:1")).toBe(
    `curl -H "Authorization: Bearer $TQ_TOKEN" -X POST --json '{"type":"it'\\''s"}' http://h:1/v1/tasks`,
  );
});

test("an enqueue reads as it is typed, all digits of the payload there", () => {
  const body = '{"type":"sh","payload":{"cmd":"ls","n":9007199254740993},"delay_seconds":30,"deps":[1,"key:b"]}';
  expect(lineFor({ operation: enqueue, values: {}, body })).toBe(
    `tq enqueue --type sh --payload '{"cmd":"ls","n":9007199254740993}' --delay 30s --after 1,key:b`,
  );
});

const line = (id: string, values: Record<string, string>, body = "") =>
  lineFor({ operation: op({ id }), values, body });

test("other operations read as they are typed", () => {
  expect(line("tasks", { status: "dead", q: "it's" })).toBe("tq list --status dead --search 'it'\\''s'");
  expect(line("cancel", { id: "7" }, '{"force": true}')).toBe("tq cancel 7 --force");
  expect(line("rescue_batch", {}, '{"ids":[1,2]}')).toBe("tq rescue 1 2");
  expect(line("queue_set", { queue: "mail" }, '{"paused":false}')).toBe("tq queue resume mail");
  expect(line("facts", { last: "true", queue: "b" })).toBe("tq tail --queue b");
  expect(line("claim", {}, '{"queues":["a","b"],"max":2}')).toBe("tq claim --queue a,b --max 2");
  expect(line("unheard_of", {})).toBeUndefined();
});

test("an agent's call has the arguments as they were written", () => {
  expect(mcpOf({ operation: list, values: { status: "dead", limit: "5" }, body: "" })).toBe(
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tq_tasks","arguments":{"status":"dead","limit":5}}}',
  );
  expect(mcpOf({ operation: enqueue, values: {}, body: '{"payload":9007199254740993}' })).toContain(
    '"arguments":{"payload":9007199254740993}}',
  );
  expect(mcpOf({ operation: op({ id: "check" }), values: {}, body: "" })).toBeUndefined();
});

test("operations are read out of the document, aliases left out", () => {
  const said = { operationId: "x", summary: "S", tags: ["t"] };
  const found = operationsOf({ paths: { "/v1/jobs": { get: said }, "/v1/x": { get: said, parameters: {} } } });
  expect(found.map(({ method, path, group }) => [method, path, group])).toEqual([["GET", "/v1/x", "t"]]);
});

test("a body begins with what is required", () => {
  const schema = {
    type: "object",
    required: ["type", "ids", "worker"],
    properties: {
      type: { type: "string", examples: ["build"] },
      ids: { type: ["array", "null"], items: { type: "integer" } },
      worker: { type: "object", properties: { name: { type: "string" } } },
      other: { type: "string" },
    },
  };
  expect(JSON.parse(exampleBody(schema))).toEqual({ type: "build", ids: [1], worker: {} });
  expect(exampleBody(undefined)).toBe("");
});
