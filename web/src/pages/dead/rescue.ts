// One, then the rest: a single task of a group is tried first, and only when it
// is done are the others let go, at a rate that the system behind them can bear.
// The hub lets them go; whoever looks on may leave.

/** What selects the dead of one cause, for the hub and for the command line. */
export function filterOf(fingerprint: string): string {
  return `status:dead fp:${fingerprint}`;
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
