// What a fact changes about a task that is already on the page.
import type { Fact, Task } from "../api/shapes";
import { isEnded } from "../status/status";

export type Patch = Partial<Task>;

export function patchOf(fact: Fact): Patch {
  const { status, attempt, epoch, at, detail = {} } = fact;
  const patch: Patch = { attempt, epoch };
  if (status) patch.status = status;
  if (detail.run_at) patch.run_at = detail.run_at;
  if (detail.error) patch.last_error = detail.error;
  if (detail.reason) patch.reason = detail.reason;
  if (fact.kind === "task.claimed") Object.assign(patch, claimed(fact));
  if (fact.kind === "task.heartbeat") patch.progress = { at, fraction: detail.fraction, note: detail.note };
  if (fact.kind === "task.cancel-requested") patch.cancel_requested = true;
  if (status && status !== "running") patch.lease = undefined;
  if (status && isEnded(status)) patch.ended_at = at;
  return patch;
}

function claimed({ at, actor, detail }: Fact): Patch {
  const until = detail?.until ?? at;
  const lease = { worker: actor, until, seconds_left: (Date.parse(until) - Date.parse(at)) / 1000 };
  return { started_at: at, ended_at: undefined, progress: undefined, lease };
}
