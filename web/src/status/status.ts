// The status alphabet: the eight words people see, the same in the command line.

export type Label = "blocked" | "scheduled" | "ready" | "running" | "retrying" | "completed" | "dead" | "cancelled";

/** In the order of a task's life; what needs you stands last in every bar. */
export const labels: readonly Label[] = [
  "blocked",
  "scheduled",
  "ready",
  "running",
  "retrying",
  "completed",
  "cancelled",
  "dead",
];

export interface Standing {
  status: string;
  attempt: number;
  run_at?: string;
}

/** The word for a task at the instant now (ms): pending is ready, scheduled or retrying. */
export function labelOf(task: Standing, now: number): Label {
  if (task.status !== "pending") return isLabel(task.status) ? task.status : "ready";
  if (!task.run_at || Date.parse(task.run_at) <= now) return "ready";
  return task.attempt > 0 ? "retrying" : "scheduled";
}

export function isLabel(word: string): word is Label {
  return (labels as readonly string[]).includes(word);
}

export function isEnded(status: string): boolean {
  return status === "completed" || status === "dead" || status === "cancelled";
}

/** The sign for a fact: what it made of the task, but a failure looks like one. */
export function labelOfFact(fact: Parameters<typeof labelAfter>[0] & { kind: string }): Label {
  return fact.kind === "task.failed" ? "retrying" : labelAfter(fact);
}

/** The word for a task right after a fact, as far as the fact alone can tell. */
export function labelAfter(fact: {
  status?: string;
  attempt: number;
  at: string;
  detail?: { run_at?: string };
}): Label {
  const standing = { status: fact.status ?? "pending", attempt: fact.attempt, run_at: fact.detail?.run_at };
  return labelOf(standing, Date.parse(fact.at));
}
