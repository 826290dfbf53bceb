// What queues are doing, and what was done to them, in words.
import type { Purged, Stats } from "../../api/shapes";
import { count, list, number, sentence, spelled } from "../../format/number";
import { brief } from "../../format/time";

/** How many there are, and what keeps some of them from going on. */
export function queuesWords(queues: readonly Stats[], hungry: readonly string[]): string {
  const paused = queues.filter((of) => of.paused).map((of) => of.queue ?? "");
  const words = [`${sentence(spelled(queues.length))} ${queues.length === 1 ? "queue" : "queues"}.`];
  if (paused.length > 0) words.push(`${short(paused)} ${paused.length === 1 ? "is" : "are"} paused.`);
  if (hungry.length > 0) words.push(`${short(hungry)} ${hungry.length === 1 ? "has" : "have"} no worker.`);
  if (paused.length + hungry.length === 0) words.push("None is held up.");
  return words.join(" ");
}

function short(names: readonly string[]): string {
  return names.length > 3 ? list([...names.slice(0, 2), `${spelled(names.length - 2)} more`]) : list(names);
}

/** What the queue is doing, in one sentence. */
export function queueWords({
  ready,
  running,
  scheduled,
  blocked,
  paused,
  oldest_ready_seconds: oldest = 0,
}: Stats): string {
  const parts = [
    running > 0 && `${number(running)} running`,
    ready > 0 && `${number(ready)} ready${oldest >= 1 ? `, the oldest for ${brief(oldest)}` : ""}`,
    scheduled > 0 && `${number(scheduled)} scheduled`,
    blocked > 0 && `${number(blocked)} blocked`,
  ].filter((part) => part !== false);
  const now = parts.length > 0 ? list(parts) : "nothing waits and nothing runs";
  return `${now}.${paused ? " It is paused: nothing more is claimed." : ""}`;
}

/** How many tasks a purge takes away, but for those that others wait for. */
export function goesWithPurge(of: Stats): number {
  return of.ready + of.scheduled + of.blocked + of.completed + of.dead + of.cancelled;
}

export function purgeWords({ deleted, kept, running }: Purged): string {
  const words = [`Deleted ${count(deleted, "task")}`];
  if (kept > 0) words.push(`kept ${number(kept)} that others wait for`);
  if (running > 0) words.push(`${number(running)} still ${running === 1 ? "runs" : "run"}`);
  return `${words.join(", ")}.`;
}
