// A request that is being put together, and the same for a shell, for tq, and
// for an agent.
import { elements, member } from "../../json/raw";
import { shellWord } from "../../ui/command";
import { blank, type Draft, lineOf } from "../enqueue/draft";
import type { Operation } from "./openapi";

export interface Request {
  operation: Operation;
  values: Readonly<Record<string, string>>;
  body: string;
}

/** Path and query, as they are sent. */
export function addressOf({ operation, values }: Request): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
  const pairs = operation.parameters
    .filter((parameter) => parameter.in === "query" && values[parameter.name])
    .map(({ name }) => [name, values[name] ?? ""]);
  const query = new URLSearchParams(pairs).toString();
  return query ? `${path}?${query}` : path;
}

/** The names of path parameters that are still empty. */
export function missing({ operation, values }: Request): string[] {
  return [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name).filter((name) => !values[name]);
}

/** For a shell; the token stays out of the line, and so out of the history. */
export function curlOf(request: Request, origin: string): string {
  const { method } = request.operation;
  const words = ["curl", '-H "Authorization: Bearer $TQ_TOKEN"'];
  if (method !== "GET") words.push(`-X ${method}`);
  if (request.operation.body) words.push("--json", shellWord(request.body));
  return [...words, shellWord(origin + addressOf(request))].join(" ");
}

const tools: Record<string, string> = {
  enqueue: "enqueue",
  enqueue_batch: "enqueue_batch",
  claim: "claim",
  extend: "extend",
  complete: "complete",
  fail: "fail",
  release: "release",
  tasks: "tasks",
  task: "task",
  cancel: "cancel",
  rescue: "rescue",
};

/** The call of the tool that does the same, where there is one. */
export function mcpOf({ operation, values, body }: Request): string | undefined {
  const name = tools[operation.id];
  if (!name) return undefined;
  const fields = operation.parameters
    .filter((each) => values[each.name])
    .map((each) => field(each.name, each.schema?.type));
  const inner = body.trim().replace(/^\{\s*|\s*\}$/g, "");
  const all = [...fields, ...(inner ? [inner] : [])].join(",");
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tq_${name}","arguments":{${all}}}}`;

  function field(key: string, type: unknown): string {
    const text = values[key] ?? "";
    const unquoted = type === "integer" || type === "number" || type === "boolean";
    return `${JSON.stringify(key)}:${unquoted ? text : JSON.stringify(text)}`;
  }
}

/** What one would type, where the command line has the same. */
export function lineFor({ operation, values, body }: Request): string | undefined {
  if (operation.id === "enqueue") return lineOf(draftOf(body));
  const words = commands[operation.id]?.(values, body);
  return words && ["tq", ...words.map(shellWord)].join(" ");
}

type Words = (values: Readonly<Record<string, string>>, body: string) => string[];

const commands: Record<string, Words> = {
  enqueue_batch: () => ["enqueue", "--file", "tasks.jsonl"],
  claim: (_, body) => ["claim", ...flags(body, { queues: "queue", types: "type", project: "project", max: "max" })],
  complete: (_, body) => ["complete", ...flags(body, { lease_token: "lease-token", result: "result" })],
  fail: (_, body) => ["fail", ...flags(body, { lease_token: "lease-token", error: "error" })],
  release: (_, body) => ["release", ...flags(body, { lease_token: "lease-token" })],
  extend: (_, body) => ["extend", ...flags(body, { lease_token: "lease-token" })],
  tasks: (values) => ["list", ...given(values, { q: "search" }, ["cursor"])],
  task: ({ id = "ID" }) => ["show", id, "--json"],
  explain: ({ id = "ID" }) => ["explain", id],
  facts: (values) => [
    values["last"] ? "tail" : "facts",
    ...given(values, { task_id: "task", kinds: "kind" }, ["last", "wait_seconds"]),
  ],
  facts_too: ({ task_id: id = "ID" }) => ["facts", "--task", id],
  wait: (_, body) => ["wait", ...ids(body)],
  cancel: ({ id = "ID" }, body) => ["cancel", id, ...(member(body, "force") === "true" ? ["--force"] : [])],
  cancel_batch: (_, body) => ["cancel", ...ids(body)],
  requeue: ({ id = "ID" }) => ["requeue", id],
  requeue_batch: (_, body) => ["requeue", ...ids(body)],
  rescue: ({ id = "ID" }) => ["rescue", id],
  rescue_batch: (_, body) => ["rescue", ...ids(body)],
  delete: ({ id = "ID" }) => ["delete", id, "--yes"],
  delete_batch: (_, body) => ["delete", ...ids(body), "--yes"],
  stats: (values) => ["stats", ...given(values)],
  queues: () => ["queue", "list"],
  queue_stats: ({ queue = "QUEUE" }) => ["stats", "--queue", queue],
  queue_set: ({ queue = "QUEUE" }, body) => ["queue", member(body, "paused") === "false" ? "resume" : "pause", queue],
  queue_purge: ({ queue = "QUEUE" }) => ["queue", "purge", queue, "--yes"],
  errors: (values) => ["dlq", "--group", ...given(values, {}, ["fingerprint"])],
  repos: () => ["repos"],
  workers: () => ["workers"],
  worker_remove: ({ id = "WORKER" }) => ["workers", "remove", id],
  check: () => ["check"],
  tokens: () => ["token", "list"],
  token_revoke: ({ id = "ID" }) => ["token", "revoke", id],
  token_rotate: ({ id = "ID" }) => ["token", "rotate", id],
};

/** Query values as flags of the same name, or of the one that the command line uses. */
function given(
  values: Readonly<Record<string, string>>,
  names: Record<string, string> = {},
  not: string[] = [],
): string[] {
  return Object.entries(values)
    .filter(([name, value]) => value && !not.includes(name))
    .flatMap(([name, value]) => [`--${names[name] ?? name.replaceAll("_", "-")}`, value]);
}

function flags(body: string, names: Record<string, string>): string[] {
  return Object.entries(names).flatMap(([name, flag]) => {
    const value = member(body, name);
    return value === undefined ? [] : [`--${flag}`, bare(value)];
  });
}

/** A JSON value as a word: a text without its quotes, a list with commas. */
function bare(value: string): string {
  if (value.startsWith("[")) return elements(value).map(bare).join(",");
  return value.startsWith('"') ? (JSON.parse(value) as string) : value;
}

function ids(body: string): string[] {
  const listed = elements(member(body, "ids") ?? "");
  return listed.length > 0 ? listed : ["ID"];
}

/** The body of an enqueue as the form of the enqueue page has it. */
function draftOf(body: string): Draft {
  const text = (name: string) => {
    const value = member(body, name);
    return value === undefined ? "" : bare(value);
  };
  const spanned = (name: string) => (text(name) ? `${text(name)}s` : "");
  const policy = text("on_dep_failure");
  return {
    type: text("type"),
    queue: text("queue") || blank.queue,
    payload: member(body, "payload") ?? "",
    key: text("idempotency_key"),
    project: text("project"),
    tags: text("tags"),
    priority: text("priority"),
    delay: spanned("delay_seconds"),
    maxAttempts: text("max_attempts"),
    timeout: spanned("timeout_seconds"),
    deps: text("deps"),
    onDepFailure: policy === "cancel" || policy === "run" ? policy : "block",
  };
}
