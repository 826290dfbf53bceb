// One, then the rest: a single task of a group is tried first, and only when it
// is done are the others let go, at a rate that the system behind them can bear.
import type { ChangedTask } from "../../api/shapes";
import { count, number } from "../../format/number";

/** What the run asks of the hub and of time; a test gives others. */
export interface World {
  rescue: (ids: readonly number[]) => Promise<readonly ChangedTask[]>;
  more: () => Promise<readonly number[]>; // what is in the group now, newest first
  rest: (ms: number) => Promise<void>;
  cancelled: () => boolean;
}

export interface Tally {
  rescued: number;
  refused: number;
  of: number;
}

const batch = 1000;

/** Rescues ids and whatever of the group comes after them, perSecond at a time; 0 is as fast as it goes. */
export async function rescueRest(
  ids: readonly number[],
  total: number,
  perSecond: number,
  world: World,
  tell: (tally: Tally) => void,
): Promise<Tally> {
  const tried = new Set<number>();
  let tally: Tally = { rescued: 0, refused: 0, of: Math.max(total, ids.length) };
  const step = perSecond > 0 ? Math.min(batch, Math.max(1, Math.round(perSecond))) : batch;
  tell(tally);
  for (let left = [...ids]; left.length > 0; left = (await world.more()).filter((id) => !tried.has(id))) {
    for (let at = 0; at < left.length; at += step) {
      if (world.cancelled()) return tally;
      if (perSecond > 0 && tried.size > 0) await world.rest((1000 * step) / perSecond);
      if (world.cancelled()) return tally;
      const some = left.slice(at, at + step);
      for (const id of some) tried.add(id);
      tally = counted(tally, await world.rescue(some));
      tell(tally);
    }
  }
  return tally;
}

function counted(tally: Tally, rows: readonly ChangedTask[]): Tally {
  const refused = rows.filter((row) => row.error).length;
  const rescued = tally.rescued + rows.length - refused;
  return { rescued, refused: tally.refused + refused, of: Math.max(tally.of, rescued + tally.refused + refused) };
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
