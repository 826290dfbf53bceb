// The ways from one status to another: what causes each, the fact that it
// leaves, what one types for it, and what it promises.
import type { Fact } from "../../api/shapes";

export type Place = "enqueue" | "blocked" | "pending" | "running" | "completed" | "dead" | "cancelled";

export interface Transition {
  id: string;
  from: Place;
  to: Place;
  name: string;
  fact: string;
  line?: string; // what a person types; some happen by themselves
  by: string;
  promise: string;
  number: string; // of the promise
  path: string; // in the picture
  label: [number, number]; // where its name stands
  matches: (fact: Fact) => boolean;
}

const kind =
  (name: string, status?: string) =>
  (fact: Fact): boolean =>
    fact.kind === `task.${name}` && (status === undefined || fact.status === status);

export const transitions: readonly Transition[] = [
  {
    id: "enqueue",
    from: "enqueue",
    to: "pending",
    name: "enqueue",
    fact: "task.enqueued",
    line: "tq enqueue --type sh --payload 'go test ./...'",
    by: "whoever may enqueue",
    promise:
      "An answer means that it is on disk. With a key, a repeat answers with the first task and changes nothing.",
    number: "S18, S38",
    path: "M96 190H206",
    label: [150, 181],
    matches: kind("enqueued", "pending"),
  },
  {
    id: "hold",
    from: "enqueue",
    to: "blocked",
    name: "with deps",
    fact: "task.enqueued",
    line: "tq enqueue --type sh --payload ./deploy.sh --after 17,key:tests",
    by: "whoever may enqueue",
    promise: "It waits for tasks that exist; a circle cannot be written. What is completed already counts at once.",
    number: "S31",
    path: "M70 168C76 110 106 74 196 66",
    label: [104, 96],
    matches: kind("enqueued", "blocked"),
  },
  {
    id: "unblock",
    from: "blocked",
    to: "pending",
    name: "unblock",
    fact: "task.unblocked",
    by: "the end of its last dependency",
    promise: "Exactly once, in the transaction that completes the last dependency, also with a thousand of them.",
    number: "S33",
    path: "M262 90V164",
    label: [294, 130],
    matches: kind("unblocked"),
  },
  {
    id: "claim",
    from: "pending",
    to: "running",
    name: "claim",
    fact: "task.claimed",
    line: "tq claim --wait 55s",
    by: "a worker, or anybody who may claim",
    promise: "Nobody else gets it while the lease runs. High priority first, then who has been ready longest.",
    number: "S4, S22",
    path: "M320 182H466",
    label: [393, 174],
    matches: kind("claimed"),
  },
  {
    id: "extend",
    from: "running",
    to: "running",
    name: "extend",
    fact: "task.heartbeat",
    line: "tq extend --progress 0.4 --note 'half of the files'",
    by: "the holder of the lease",
    promise: "The lease ends later, any number of times. Progress is a fact; a bare heartbeat is not.",
    number: "S4",
    path: "M494 164C484 118 560 118 550 164",
    label: [522, 122],
    matches: kind("heartbeat"),
  },
  {
    id: "complete",
    from: "running",
    to: "completed",
    name: "complete",
    fact: "task.completed",
    line: `tq complete --result '{"ok": true}'`,
    by: "the holder of the lease",
    promise: "At most one settlement for each attempt. A repeat with the same token gets the same answer.",
    number: "S5, S20",
    path: "M574 168C616 130 640 96 690 74",
    label: [664, 112],
    matches: (fact) => fact.kind === "task.completed" && !fact.detail?.late,
  },
  {
    id: "fail",
    from: "running",
    to: "pending",
    name: "fail",
    fact: "task.failed",
    line: "tq fail --error 'connection refused'",
    by: "the holder of the lease",
    promise:
      "Tried again after 2 s, 4 s, 8 s and so on up to an hour, give or take a fifth; the holder may ask for another delay.",
    number: "S16",
    path: "M480 212C440 248 350 248 306 214",
    label: [393, 232],
    matches: kind("failed", "pending"),
  },
  {
    id: "release",
    from: "running",
    to: "pending",
    name: "release",
    fact: "task.released",
    line: "tq release",
    by: "the holder, or a worker that is told to stop",
    promise: "Given back without burning the attempt, to the place in the line that it had.",
    number: "S22, S42",
    path: "M490 214C450 288 330 288 290 216",
    label: [393, 262],
    matches: kind("released"),
  },
  {
    id: "expire",
    from: "running",
    to: "pending",
    name: "lease runs out",
    fact: "task.lease-expired",
    by: "the hub, within a second",
    promise: "Whatever became of its holder, the task goes on: claimable two seconds after the lease at the latest.",
    number: "S15",
    path: "M500 216C460 332 310 332 274 216",
    label: [393, 294],
    matches: kind("lease-expired", "pending"),
  },
  {
    id: "late",
    from: "pending",
    to: "completed",
    name: "late complete",
    fact: "task.completed",
    by: "the last holder, too late",
    promise: "The lease has run out, but nobody has claimed since: the work is done, so it counts.",
    number: "S6",
    path: "M300 166C380 60 560 40 688 56",
    label: [470, 62],
    matches: (fact) => fact.kind === "task.completed" && fact.detail?.late === true,
  },
  {
    id: "die",
    from: "running",
    to: "dead",
    name: "give up",
    fact: "task.dead-lettered",
    line: "tq fail --no-requeue --error 'no such repository'",
    by: "the last attempt, or a holder that sees no sense in another",
    promise: "Kept with its last error until somebody rescues or deletes it.",
    number: "S17",
    path: "M580 190H694",
    label: [637, 182],
    matches: kind("dead-lettered"),
  },
  {
    id: "rescue",
    from: "dead",
    to: "pending",
    name: "rescue",
    fact: "task.rescued",
    line: "tq rescue 17",
    by: "an administrator",
    promise: "A fresh budget of attempts and a new epoch: whoever held it before stays fenced out.",
    number: "S14, S21",
    path: "M732 214C716 372 300 384 262 216",
    label: [500, 344],
    matches: kind("rescued"),
  },
  {
    id: "cancel",
    from: "running",
    to: "cancelled",
    name: "cancel",
    fact: "task.cancelled",
    line: "tq cancel 17",
    by: "whoever enqueued it, or an administrator",
    promise:
      "What waits is cancelled at once. Who runs is asked to stop; if it finishes first, success wins; with --force it is fenced out now.",
    number: "S30",
    path: "M566 212C610 262 640 292 690 306",
    label: [626, 258],
    matches: kind("cancelled"),
  },
];

/** Which transition a fact tells of. */
export function transitionOf(fact: Fact): Transition | undefined {
  return transitions.find((each) => each.matches(fact));
}

/** How often each happened in the last minute, as far as the page has seen. */
export function lately(facts: readonly Fact[], now: number): ReadonlyMap<string, number> {
  const out = new Map<string, number>();
  for (const fact of facts) {
    if (now - Date.parse(fact.at) > 60_000) break; // they come newest first
    const id = transitionOf(fact)?.id;
    if (id) out.set(id, (out.get(id) ?? 0) + 1);
  }
  return out;
}
