// Does anything need me? The hub's state in one or two sentences, numbers
// first, each part a link to what it speaks of.
import type { Overview, Stats } from "../../api/shapes";
import { count, list, sentence, spelled } from "../../format/number";
import { brief } from "../../format/time";

export interface Part {
  text: string;
  to?: "/tasks" | "/dead";
  q?: string; // the filter behind the number, of a link to the list
  dead?: boolean;
}

/** The sentences: those of the hub, which testdata/situation-vectors.json binds, with links in them. */
export function situation({ queues, total, workers, starved, causes }: Overview): Part[] {
  return [
    ...fleetWords(workers),
    { text: " " },
    ...readyWords(total),
    ...starvedWords(starved),
    ...pausedWords(queues),
    { text: " " },
    ...deadWords(total, causes),
  ];
}

/** Whether there has ever been anything here. */
export function isEmpty({ queues, workers }: Overview): boolean {
  return queues.length === 0 && workers.busy + workers.idle + workers.lost === 0;
}

function fleetWords({ busy, idle, lost }: Overview["workers"]): Part[] {
  const alive = busy + idle;
  return [
    { text: aliveWords(busy, alive) },
    ...(lost > 0 ? [{ text: ` ${sentence(count(lost, "worker is", "workers are"))} lost.` }] : []),
  ];
}

function aliveWords(busy: number, alive: number): string {
  if (alive === 0) return "No worker is connected.";
  if (alive === 1) return busy === 1 ? "The one worker is busy." : "The one worker is idle.";
  const all = alive === 2 ? "Both" : `All ${spelled(alive)}`;
  if (busy === 0) return `${all} workers are idle.`;
  if (busy === alive) return `${all} workers are busy.`;
  return `${sentence(spelled(busy))} of ${spelled(alive)} workers ${busy === 1 ? "is" : "are"} busy.`;
}

function readyWords(total: Stats): Part[] {
  if (total.ready === 0) return [{ text: waitingWords(total) }];
  const oldest = total.oldest_ready_seconds ?? 0;
  return [
    { text: count(total.ready, "task"), to: "/tasks", q: "status:ready" },
    { text: ` ${total.ready === 1 ? "is" : "are"} ready` },
    ...(oldest >= 1
      ? [{ text: ", the oldest for " }, { text: brief(oldest), to: "/tasks" as const, q: "status:ready" }]
      : []),
    { text: "." },
  ];
}

function waitingWords({ running, scheduled, blocked }: Stats): string {
  if (running + scheduled + blocked === 0) return "No task is waiting.";
  return scheduled + blocked === 0 ? "No other task is waiting." : "No task is ready.";
}

function starvedWords(names: readonly string[]): Part[] {
  if (names.length === 0) return [];
  return [{ text: ` ${shortList(names)} ${names.length === 1 ? "has" : "have"} no worker.` }];
}

function pausedWords(queues: readonly Stats[]): Part[] {
  const names = queues.filter(({ paused }) => paused).map(({ queue }) => queue ?? "");
  if (names.length === 0) return [];
  return [{ text: ` ${shortList(names)} ${names.length === 1 ? "is" : "are"} paused.` }];
}

function shortList(names: readonly string[]): string {
  return names.length > 3 ? list([...names.slice(0, 2), `${spelled(names.length - 2)} more`]) : list(names);
}

function deadWords({ dead, blocked_by_dead: held = 0 }: Stats, causes = 0): Part[] {
  if (dead === 0) return [{ text: "Nothing needs you." }];
  const link: Part = { text: count(dead, "dead letter"), to: "/dead", dead: true };
  const holds = held > 0 ? `, and ${count(held, "task waits", "tasks wait")} for ${dead === 1 ? "it" : "them"}` : "";
  const of = dead > 1 && causes > 0 ? ` of ${count(causes, "cause")}` : "";
  return [link, { text: `${of} ${dead === 1 ? "needs" : "need"} you${holds}.` }];
}
