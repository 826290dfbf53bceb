// The filter language: `queue:build,agents status:dead age:>2h -type:metrics "timed out"`.
// Terms are ANDed, commas are OR, - negates. The vectors in testdata/filter-vectors.json
// hold for every parser of it.

export type Op = ">" | ">=" | "<" | "<=";

export interface Term {
  key: string;
  values: string[];
  op?: Op;
  not?: boolean;
}

export class FilterError extends Error {}

const names = ["queue", "type", "project", "worker", "tag", "error", "fp", "key"];
const numbers = ["id", "parent", "dep"];
const comparedNumbers = ["try", "prio"];
const comparedDurations = ["age", "wait", "run"];
const all = ["status", "sort", ...names, ...numbers, ...comparedNumbers, ...comparedDurations];

const statuses = ["blocked", "pending", "ready", "scheduled", "retrying", "running", "completed", "dead", "cancelled"];
const aliases: Record<string, string> = { done: "completed", claimed: "running", failed: "retrying" };

/** The terms of a filter; throws a FilterError that says what is wrong with it. */
export function parse(filter: string): Term[] {
  return words(filter).map(term);
}

/** A filter with the same meaning, written in the usual way. */
export function write(terms: readonly Term[]): string {
  return terms.map(writeTerm).join(" ");
}

function writeTerm({ key, values, op, not }: Term): string {
  const text = values
    .map((value) => (key !== "text" && /^[\w.:/-]+$/.test(value) ? value : quoteIfNeeded(value)))
    .join(",");
  return (not ? "-" : "") + (key === "text" ? text : `${key}:${op ?? ""}${text}`);
}

/** What would be read as more than a value stands in quotes. */
function quoteIfNeeded(value: string): string {
  return /[\s",\\]|^[-#<>]|:(?!\/\/)/.test(value) ? `"${value.replace(/["\\]/g, "\\$&")}"` : value;
}

/** Words are separated by space outside of quotes. */
function words(filter: string): string[] {
  const out: string[] = [];
  const pattern = /\s*((?:[^\s"]|"(?:[^"\\]|\\.)*")+)/gy;
  let rest = 0;
  for (let hit = pattern.exec(filter); hit; hit = pattern.exec(filter)) {
    out.push(hit[1] ?? "");
    rest = pattern.lastIndex;
  }
  if (filter.slice(rest).trim() !== "") throw new FilterError("a quote is not closed");
  return out;
}

function term(word: string): Term {
  const not = word.startsWith("-") ? { not: true } : {};
  const body = not.not ? word.slice(1) : word;
  if (body === "") throw new FilterError("- stands alone");
  const id = /^#(\d+)$/.exec(body);
  if (id) return { key: "id", values: [id[1] ?? ""], ...not };
  const field = /^([a-z]+(?:\.[^\s:"]+)?):(?!\/\/)(.*)$/is.exec(body);
  if (!field) return { ...textTerm(unquote(body)), ...not };
  return { ...fieldTerm(fieldName(field[1] ?? ""), field[2] ?? ""), ...not };
}

function textTerm(text: string): Term {
  if (text === "") throw new FilterError("the quotes are empty");
  return { key: "text", values: [text] };
}

function fieldName(written: string): string {
  if (/^payload\./i.test(written)) return `payload.${written.slice("payload.".length)}`;
  const key = written.toLowerCase();
  if (all.includes(key)) return key;
  const near = all.find((known) => distance(known, key) <= 2);
  throw new FilterError(`unknown field ${written}${near ? `: did you mean ${near}?` : ""}`);
}

function fieldTerm(key: string, text: string): Term {
  const op = (/^(>=|<=|>|<)/.exec(text)?.[1] ?? "") as Op | "";
  const values = split(text.slice(op.length)).map(unquote);
  if (values.length === 1 && values[0] === "") throw new FilterError(`${key} has no value`);
  if (values.includes("")) throw new FilterError(`${key} has an empty value`);
  const compared = comparedDurations.includes(key) || comparedNumbers.includes(key);
  if (op && !compared) throw new FilterError(`${key} cannot be compared with ${op}`);
  if (!op && comparedDurations.includes(key)) throw new FilterError(`${key} needs one of > >= < <=`);
  const checked = values.map((value) => check(key, value));
  return op ? { key, op, values: checked } : { key, values: checked };
}

function check(key: string, value: string): string {
  if (key === "status") return status(value);
  if (key === "sort" && !/^-?(age|prio|try)$/.test(value)) {
    throw new FilterError(`sort is ${value}, want age, prio or try`);
  }
  if ((numbers.includes(key) || comparedNumbers.includes(key)) && !/^-?\d+$/.test(value)) {
    throw new FilterError(`${key} is ${value}, want a whole number`);
  }
  if (comparedDurations.includes(key) && seconds(value) === undefined) {
    throw new FilterError(`${key} is ${value}, want a duration such as 90s, 5m, 2h or 3d`);
  }
  return value;
}

function status(value: string): string {
  const word = aliases[value.toLowerCase()] ?? value.toLowerCase();
  if (statuses.includes(word)) return word;
  throw new FilterError(`status is ${value}, want ${statuses.slice(0, -1).join(", ")} or ${statuses.at(-1)}`);
}

/** 90s, 5m, 2h, 3d in seconds. */
export function seconds(text: string): number | undefined {
  const hit = /^(\d+(?:\.\d+)?)(s|m|h|d)$/.exec(text);
  if (!hit) return undefined;
  const unit = { s: 1, m: 60, h: 3600, d: 86_400 }[hit[2] as "s" | "m" | "h" | "d"];
  return Number(hit[1]) * unit;
}

/** Splits at commas outside of quotes. */
function split(text: string): string[] {
  const parts = [""];
  for (const piece of text.match(/"(?:[^"\\]|\\.)*"|,|[^",]+/gs) ?? []) {
    if (piece === ",") parts.push("");
    else parts[parts.length - 1] += piece;
  }
  return parts;
}

function unquote(text: string): string {
  return text.replace(/"((?:[^"\\]|\\.)*)"/gs, (_, inner: string) => inner.replace(/\\(.)/gs, "$1"));
}

/** How many letters must change to make b of a. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
