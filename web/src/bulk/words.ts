// An operation on many tasks in words: what is wished for, and how far it has come.
import type { Action } from "../actions/actions";
import type { BulkState } from "../api/shapes";
import { count, number } from "../format/number";
import { shellWord } from "../ui/command";

export interface Wish {
  verb: string;
  filter: string;
  force?: boolean;
}

/** What an action means for all that a filter selects. */
export function wishOf(action: Action, filter: string): Wish {
  const whole = action.narrows ? `${filter} ${action.narrows}` : filter;
  return action.name === "force"
    ? { verb: "cancel", filter: whole, force: true }
    : { verb: action.name, filter: whole };
}

/** What one would type to do the same; a rate of 0 is as fast as it goes. */
export function wishLine(action: Action, filter: string, rate: number): string {
  const line = `${action.command} --filter ${shellWord(wishOf(action, filter).filter)}`;
  return rate > 0 ? `${line} --rate ${rate}/s` : line;
}

/** What a dry run has counted: tasks that the filter selects, and those of them that would change. */
export interface Counted {
  matched: number;
  changed: number;
}

export interface Tally {
  changed: number;
  of: number;
  left: number; // have moved on since they were counted
  share: number; // of the way through all that is selected, 0 to 1
}

/** How far an operation is; more than were counted at first are counted too. */
export function tallyOf({ changed, skipped }: BulkState, counted: Counted): Tally {
  const seen = changed + skipped;
  return {
    changed,
    of: Math.max(counted.changed, changed),
    left: Math.max(0, skipped - (counted.matched - counted.changed)),
    share: seen / Math.max(1, counted.matched, seen),
  };
}

export function tallyWords({ changed, of, left }: Tally, done: string): string {
  const rest = left > 0 ? `, ${count(left, "task")} left as ${left === 1 ? "it is" : "they are"}` : "";
  return `${number(changed)} of ${number(of)} ${done}${rest}`;
}
