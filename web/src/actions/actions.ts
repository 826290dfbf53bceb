// What can be done to tasks: once for the list, the side panel and the task's
// own page, each with what one would type instead.
import type { QueryClient } from "@tanstack/react-query";
import { ask } from "../api/client";
import { hubNow } from "../api/clock";
import type { ChangedTask, Task } from "../api/shapes";
import { count } from "../format/number";
import { labelOf } from "../status/status";
import { say, sayFailure } from "../ui/toast";

export interface Action {
  name: "rescue" | "requeue" | "cancel" | "force" | "delete";
  verb: string; // on the button
  done: string; // in the sentence afterwards
  what: string; // what will happen, for the one who has to confirm it
  key: string;
  path: string;
  body?: Record<string, unknown>;
  command: string;
  grave?: boolean; // asks first, also for one task
  narrows?: string; // added to a filter, so that no more is selected than it is meant for
  fits: (task: Task, now: number) => boolean;
}

export const rescue: Action = {
  name: "rescue",
  verb: "Rescue",
  done: "Rescued",
  what: "They become ready again with a fresh budget of attempts.",
  key: "r",
  path: "/v1/tasks/rescue",
  command: "tq rescue",
  fits: ({ status }) => status === "dead" || status === "cancelled",
};

export const actions: readonly Action[] = [
  rescue,
  {
    name: "requeue",
    verb: "Run now",
    done: "Made ready",
    what: "They no longer wait for their time.",
    key: "n",
    path: "/v1/tasks/requeue",
    command: "tq requeue",
    narrows: "status:scheduled",
    fits: (task, now) => ["scheduled", "retrying"].includes(labelOf(task, now)),
  },
  {
    name: "cancel",
    verb: "Cancel",
    done: "Cancelled",
    what: "Those that run are asked to stop; if their worker finishes first, the result stands.",
    key: "Shift+c",
    path: "/v1/tasks/cancel",
    command: "tq cancel",
    grave: true,
    fits: ({ status, cancel_requested: asked }) =>
      ["blocked", "pending"].includes(status) || (status === "running" && !asked),
  },
  {
    name: "force",
    verb: "Cancel by force",
    done: "Cancelled",
    what: "They are taken from their workers now; whatever those still report is refused.",
    key: "Shift+f",
    path: "/v1/tasks/cancel",
    body: { force: true },
    command: "tq cancel --force",
    grave: true,
    narrows: "status:running",
    fits: ({ status }) => status === "running",
  },
  {
    name: "delete",
    verb: "Delete",
    done: "Deleted",
    what: "They are gone for good; their facts stay for a while.",
    key: "Shift+d",
    path: "/v1/tasks/delete",
    command: "tq delete --yes",
    grave: true,
    fits: ({ status }) => ["completed", "dead", "cancelled"].includes(status),
  },
];

/** The actions that fit at least one of the tasks, each with the tasks it fits. */
export function possible(tasks: readonly Task[]): { action: Action; tasks: Task[] }[] {
  const now = hubNow();
  return actions
    .map((action) => ({ action, tasks: tasks.filter((task) => action.fits(task, now)) }))
    .filter(({ tasks: fitting }) => fitting.length > 0);
}

/** What one would type to do the same. */
export function commandLine(action: Action, ids: readonly number[]): string {
  return [action.command, ...ids].join(" ");
}

const batch = 1000;

/** Does it, says what came of it, and makes everything that may have changed stale. */
export async function perform(client: QueryClient, action: Action, ids: readonly number[]): Promise<void> {
  const rows: ChangedTask[] = [];
  try {
    for (let at = 0; at < ids.length; at += batch) {
      const body = { ids: ids.slice(at, at + batch), ...action.body };
      rows.push(...(await ask<{ tasks: ChangedTask[] }>(action.path, { method: "POST", body })).tasks);
    }
    report(action, rows);
  } catch (error) {
    sayFailure(error);
  }
  await client.invalidateQueries();
}

function report(action: Action, rows: readonly ChangedTask[]): void {
  const refused = rows.filter((row) => row.error);
  const changed = rows.length - refused.length;
  const asked = rows.filter((row) => row.cancel_requested && row.status === "running").length;
  if (changed === 0 && refused[0]?.error) return sayFailure(new Error(refused[0].error.detail));
  const words = [`${action.done} ${count(changed - asked, "task")}`];
  if (asked > 0) words[changed === asked ? 0 : 1] = `asked ${count(asked, "worker")} to stop`;
  if (refused.length > 0) words.push(`${refused.length} refused: ${refused[0]?.error?.detail}`);
  const text = words.join(", ");
  say(`${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
}
