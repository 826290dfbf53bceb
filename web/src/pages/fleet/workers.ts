// What the registry says about workers, in words.
import type { Overview, Worker } from "../../api/shapes";
import { count, list, sentence, spelled } from "../../format/number";

export function nameOf({ name, id, host }: Worker): string {
  return name ?? id ?? host ?? "a worker";
}

export function stateWord(state: string): string {
  return state === "polling" ? "idle" : state;
}

/** Whether a worker that is alive takes from a queue; a pattern ends in a star. */
export function serves({ queues, state }: Worker, queue: string): boolean {
  if (state === "lost" || state === "draining") return false;
  if (!queues?.length) return true;
  return queues.some((pattern) => (pattern.endsWith("*") ? queue.startsWith(pattern.slice(0, -1)) : pattern === queue));
}

/** Two workers: one busy, one idle. */
export function fleetWords({ busy, idle, lost }: Overview["workers"]): string {
  const all = busy + idle + lost;
  if (all === 0) return "No worker is here.";
  const parts = [
    busy > 0 && `${spelled(busy)} busy`,
    idle > 0 && `${spelled(idle)} idle`,
    lost > 0 && `${spelled(lost)} lost`,
  ].filter((part) => part !== false);
  const head = `${sentence(spelled(all))} ${all === 1 ? "worker" : "workers"}`;
  const only = parts.length === 1 && parts[0]?.split(" ")[1];
  if (only) return `${head}, ${all > 2 ? "all " : all === 2 ? "both " : ""}${only}.`;
  return `${head}: ${list(parts)}.`;
}

/** What a removal brings about, for the one who has to confirm it. */
export function removalWords(worker: Worker): string {
  const held = worker.running?.length ?? 0;
  const leases =
    held === 0 ? "It holds no lease." : `Its ${count(held, "lease")} will end at once, and others may claim.`;
  return worker.state === "lost"
    ? leases
    : `${leases} It was seen a moment ago: if it still lives, it calls again and comes back, but what it held is lost to it.`;
}
