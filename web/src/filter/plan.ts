// How a filter is answered: what the hub selects itself, and what is left to
// look at here, task by task, in the pages that it sends.
import type { Query } from "../api/client";
import type { Task } from "../api/shapes";
import { labelOf } from "../status/status";
import { FilterError, type Op, parse, seconds, type Term } from "./parse";

export interface Plan {
  query: Query; // for GET /v1/tasks
  ids?: number[]; // the filter names its tasks: they are asked for one by one
  keeps?: (task: ListedTask, now: number) => boolean; // what the hub could not select; absent when it could do all
}

/** A task of a list, with its payload when the plan asked for it. */
export type ListedTask = Task & { payload?: unknown };

type Check = (task: ListedTask, now: number) => boolean;

const asked: Record<string, string> = {
  queue: "queue",
  status: "status",
  type: "type",
  project: "project",
  parent: "parent",
  key: "key",
  text: "q",
  error: "q",
};

export function plan(filter: string): Plan {
  const query: Query = {};
  const checks: Check[] = [];
  let ids: number[] | undefined;
  for (const term of parse(filter)) {
    if (term.key === "sort") continue;
    if (term.key === "id" && !term.not && !ids) ids = term.values.map(Number);
    const name = asked[term.key];
    const whole = name && !term.not && term.values.length === 1 && query[name] === undefined;
    if (whole) query[name] = term.values[0];
    // The hub looks for a text in payload and error alike, so error: is looked at again.
    if (!whole || term.key === "error") checks.push(checkOf(term, query));
  }
  const keeps =
    checks.length > 0 ? (task: ListedTask, now: number) => checks.every((check) => check(task, now)) : undefined;
  return { query, ids, keeps };
}

function checkOf(term: Term, query: Query): Check {
  if (term.key === "text" || term.key.startsWith("payload.")) query["fields"] = "payload";
  const check = positive(term);
  return term.not ? (task, now) => !check(task, now) : check;
}

function positive({ key, values, op }: Term): Check {
  if (key.startsWith("payload.")) {
    const path = key.split(".").slice(1);
    return (task) => values.includes(plain(dig(task.payload, path)));
  }
  switch (key) {
    case "status":
      return (task, now) => values.includes(task.status) || values.includes(labelOf(task, now));
    case "tag":
      return (task) => values.some((value) => task.tags?.includes(value));
    case "error":
      return (task) => values.some((value) => has(task.last_error, value));
    case "text":
      return (task) => values.some((value) => has(task.last_error, value) || has(plain(task.payload), value));
    case "worker":
      return (task) => values.some((value) => value === task.lease?.worker || value === task.lease?.owner);
    case "try":
    case "prio":
      return (task) => values.some((value) => compare(key === "try" ? task.attempt : task.priority, op, Number(value)));
    case "age":
    case "wait":
    case "run":
      return (task, now) => values.some((value) => compare(span(key, task, now), op, seconds(value) ?? 0));
    case "queue":
    case "type":
    case "project":
    case "parent":
    case "id":
    case "key":
      return (task) => values.includes(plain(fieldOf(task, key)));
  }
  throw new FilterError(`${key} cannot be searched for in this list`);
}

function fieldOf(task: Task, key: "queue" | "type" | "project" | "parent" | "id" | "key"): unknown {
  return key === "key" ? task.idempotency_key : task[key];
}

/** How old a task is, how long it waited for its newest attempt, how long that ran; in seconds. */
function span(key: "age" | "wait" | "run", task: Task, now: number): number {
  const [from, to] = {
    age: [task.created_at, undefined],
    wait: [task.created_at, task.started_at],
    run: [task.started_at, task.ended_at],
  }[key];
  if (!from) return Number.NaN;
  return ((to ? Date.parse(to) : now) - Date.parse(from)) / 1000;
}

function compare(value: number, op: Op | undefined, limit: number): boolean {
  switch (op) {
    case ">":
      return value > limit;
    case ">=":
      return value >= limit;
    case "<":
      return value < limit;
    case "<=":
      return value <= limit;
    default:
      return value === limit;
  }
}

function has(text: string | undefined, part: string): boolean {
  return text?.includes(part) ?? false;
}

function plain(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function dig(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const name of path) {
    if (typeof at !== "object" || at === null) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}
