// A task that is being written: what is wrong with it, what is sent, and what
// one would type instead. The payload goes out as the text that was written, so
// that no digit of it is lost.
import { seconds } from "../../filter/parse";
import { bytes } from "../../format/number";
import { shellWord } from "../../ui/command";

export interface Draft {
  type: string;
  queue: string;
  payload: string;
  key: string;
  project: string;
  tags: string;
  priority: string;
  delay: string;
  maxAttempts: string;
  timeout: string;
  deps: string;
  onDepFailure: "block" | "cancel" | "run";
}

export const blank: Draft = {
  type: "",
  queue: "default",
  payload: "",
  key: "",
  project: "",
  tags: "",
  priority: "",
  delay: "",
  maxAttempts: "",
  timeout: "",
  deps: "",
  onDepFailure: "block",
};

export type Trouble = Partial<Record<keyof Draft, string>>;

const maxPayload = 131_072;
const queuePattern = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/;

/** What the hub would refuse, said before it is asked; the hub has the last word. */
export function troubles(draft: Draft): Trouble {
  const out: Trouble = {};
  if (draft.type.trim() === "") out.type = "Who runs it: sh, http, or a name that your workers serve.";
  if (!queuePattern.test(draft.queue)) {
    out.queue = "Begin with a letter or digit; then letters, digits and . _ : / - up to 128 characters.";
  }
  const wrong = payloadTrouble(draft);
  if (wrong) out.payload = wrong;
  if (!whole(draft.priority, -32_768, 32_767)) out.priority = "A whole number from -32768 to 32767; high goes first.";
  if (!whole(draft.maxAttempts, 1, 1000)) out.maxAttempts = "A whole number from 1 to 1000.";
  if (draft.delay !== "" && span(draft.delay) === undefined) out.delay = "A duration, such as 90s, 5m, 2h or 3d.";
  if (draft.timeout !== "" && span(draft.timeout) === undefined) out.timeout = "A duration, such as 90s, 5m or 2h.";
  const dep = names(draft.deps).find((name) => !/^\d+$|^key:.+/.test(name));
  if (dep) out.deps = `${dep} is neither the id of a task nor key:NAME.`;
  return out;
}

function payloadTrouble({ type, payload }: Draft): string | undefined {
  const text = payload.trim();
  if (text === "") return type === "sh" ? "The command line to run." : undefined;
  const size = new TextEncoder().encode(payloadText(type, text)).length;
  if (size > maxPayload) return `It has ${bytes(size)}; the limit is ${bytes(maxPayload)}.`;
  if (type === "sh") return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `Not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Of type sh a line that is no JSON string and no object with cmd is the command itself. */
export function payloadText(type: string, text: string): string {
  const bare = text.trim();
  if (type !== "sh") return bare;
  try {
    const value: unknown = JSON.parse(bare);
    const command = typeof value === "string" || (typeof value === "object" && value !== null && "cmd" in value);
    return command ? bare : JSON.stringify(bare);
  } catch {
    return JSON.stringify(bare);
  }
}

/** The body of POST /v1/tasks. */
export function bodyOf(draft: Draft): string {
  const fields: Record<string, unknown> = {
    type: draft.type.trim(),
    queue: draft.queue,
    project: draft.project || undefined,
    tags: draft.tags ? names(draft.tags) : undefined,
    idempotency_key: draft.key || undefined,
    priority: draft.priority === "" ? undefined : Number(draft.priority),
    delay_seconds: draft.delay === "" ? undefined : span(draft.delay),
    max_attempts: draft.maxAttempts === "" ? undefined : Number(draft.maxAttempts),
    timeout_seconds: draft.timeout === "" ? undefined : span(draft.timeout),
    deps: draft.deps ? names(draft.deps).map((name) => (/^\d+$/.test(name) ? Number(name) : name)) : undefined,
    on_dep_failure: draft.deps && draft.onDepFailure !== "block" ? draft.onDepFailure : undefined,
  };
  const text = JSON.stringify(fields);
  if (draft.payload.trim() === "") return text;
  return `${text.slice(0, -1)},"payload":${payloadText(draft.type.trim(), draft.payload)}}`;
}

/** The same as typed. */
export function lineOf(draft: Draft): string {
  const flags: [string, string][] = [
    ["--type", draft.type.trim() || "TYPE"],
    ["--queue", draft.queue === "default" ? "" : draft.queue],
    ["--payload", draft.payload.trim()],
    ["--key", draft.key],
    ["--project", draft.project],
    ["--tag", names(draft.tags).join(",")],
    ["--priority", draft.priority],
    ["--delay", draft.delay],
    ["--max-attempts", draft.maxAttempts],
    ["--timeout", draft.timeout],
    ["--after", names(draft.deps).join(",")],
    ["--on-dep-failure", draft.deps && draft.onDepFailure !== "block" ? draft.onDepFailure : ""],
  ];
  const words = flags.filter(([, value]) => value !== "").flatMap(([flag, value]) => written(flag, value));
  return ["tq", "enqueue", ...words].join(" ");
}

/** A value that looks like a flag, or like @FILE, is tied to its own. */
function written(flag: string, value: string): string[] {
  return /^[-@]/.test(value) ? [`${flag}=${shellWord(value)}`] : [flag, shellWord(value)];
}

interface Copied {
  type: string;
  queue: string;
  project?: string;
  tags?: readonly string[];
  priority: number;
  max_attempts: number;
  timeout_seconds?: number;
}

/** A copy of a task: what it does, not when, and never its key. */
export function copyOf(task: Copied, payload: string | undefined): Draft {
  return {
    ...blank,
    type: task.type,
    queue: task.queue,
    payload: payload ?? "",
    project: task.project ?? "",
    tags: task.tags?.join(", ") ?? "",
    priority: task.priority === 0 ? "" : String(task.priority),
    maxAttempts: String(task.max_attempts),
    timeout: task.timeout_seconds ? `${task.timeout_seconds}s` : "",
  };
}

function span(text: string): number | undefined {
  return seconds(text.trim());
}

function names(text: string): string[] {
  return text.split(/[\s,]+/).filter((name) => name !== "");
}

function whole(text: string, low: number, high: number): boolean {
  if (text.trim() === "") return true;
  return /^-?\d+$/.test(text.trim()) && Number(text) >= low && Number(text) <= high;
}
