// Which questions a fact makes stale.
import type { Fact } from "../api/shapes";

const changesTheDead = new Set<string>(["task.dead-lettered", "task.rescued", "task.requeued", "task.deleted"]);

/** The first words of the query keys that a fact touches. */
export function touched(fact: Fact): unknown[][] {
  if (fact.kind.startsWith("worker.")) return [["workers"]];
  if (fact.kind.startsWith("queue.")) return [["stats"], ["queues"]];
  const keys: unknown[][] = [["tasks"], ["stats"], ["task", fact.task_id]];
  if (changesTheDead.has(fact.kind)) keys.push(["errors"]);
  if (fact.kind === "task.claimed" || fact.settles) keys.push(["workers"]);
  return keys;
}
