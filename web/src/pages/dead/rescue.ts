// One, then the rest: a single task of a group is tried first, and only when it
// is done are the others let go, at a rate that the system behind them can bear.
// The hub lets them go; whoever looks on may leave.
import type { BulkState } from "../../api/shapes";
import { count, number } from "../../format/number";

export interface Tally {
  rescued: number;
  refused: number;
  of: number;
}

/** What selects the dead of one cause, for the hub and for the command line. */
export function filterOf(fingerprint: string): string {
  return `status:dead fp:${fingerprint}`;
}

/** What one would type to rescue a cause; 0 is as fast as it goes. */
export function rescueLine(fingerprint: string, perSecond: number): string {
  return `tq rescue --filter '${filterOf(fingerprint)}'${perSecond > 0 ? ` --rate ${perSecond}/s` : ""}`;
}

/** Looks on until the operation is over, or until nobody looks any more. */
export async function follow(
  begun: BulkState,
  total: number,
  state: (id: string) => Promise<BulkState>,
  leaves: () => boolean,
  tell: (tally: Tally) => void,
): Promise<BulkState> {
  let now = begun;
  tell(tallyOf(now, total));
  while (now.state === "running" && !leaves()) {
    now = await state(now.id ?? ""); // oxlint-disable-line no-await-in-loop -- one answer leads to the next question
    tell(tallyOf(now, total));
  }
  return now;
}

function tallyOf({ changed, skipped }: BulkState, total: number): Tally {
  return { rescued: changed, refused: skipped, of: Math.max(total, changed + skipped) };
}

export function tallyWords({ rescued, refused, of }: Tally): string {
  return `${number(rescued)} of ${number(of)} rescued${refused > 0 ? `, ${count(refused, "refusal")}` : ""}`;
}

/**
 * What a task that was tried first says about the rest. Dead of the attempt that
 * it had already died of, it says nothing yet; a later one may be over before
 * anybody saw it run.
 */
export function verdict(task: { status: string; epoch?: number }, diedAt: number): "wait" | "good" | "bad" {
  if (task.status === "completed") return "good";
  if (task.status === "dead") return (task.epoch ?? 0) > diedAt ? "bad" : "wait";
  return task.status === "cancelled" ? "bad" : "wait";
}

/** Title in pieces: what differs between the errors of a group stands in angle brackets. */
export function pieces(title: string): { text: string; varies: boolean }[] {
  return title
    .split(/(<(?:n|id|path|host|url|text|time)>)/)
    .filter((text) => text !== "")
    .map((text) => ({ text, varies: /^<(?:n|id|path|host|url|text|time)>$/.test(text) }));
}
