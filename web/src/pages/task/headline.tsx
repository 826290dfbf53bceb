// Glyph, name and one sentence: what the task is doing, and if it does not run, why.
import type { Explanation, Task } from "../../api/shapes";
import { sentence } from "../../format/number";
import { brief, duration, relative } from "../../format/time";
import { useNow } from "../../live/tick";
import { Glyph } from "../../status/glyph";
import { labelOf } from "../../status/status";
import { Command } from "../../ui/command";
import { Fuse } from "../../ui/fuse";
import styles from "./headline.module.css";

export function Headline({ task, why, small }: { task: Task; why: Explanation | undefined; small?: boolean }) {
  const now = useNow();
  const label = labelOf(task, now);
  const Heading = small ? "h2" : "h1";
  return (
    <header className={styles.head} data-small={small || undefined}>
      <Heading className={styles.name}>
        <Glyph of={label} /> <span className="mono">{task.id}</span> {task.type}{" "}
        <span className={styles.place}>
          in <span className="mono">{task.queue}</span>
        </span>
      </Heading>
      <p className={styles.sentence}>
        <b>{sentence(label)}.</b> {words(task, why, now)}
      </p>
      {task.lease && (
        <div className={styles.fuse}>
          <Fuse task={task} />
        </div>
      )}
      {task.progress && <Progress task={task} />}
      {why?.next?.map((line) => (
        <Command key={line} line={line} />
      ))}
    </header>
  );
}

/** The hub's sentence, but for what counts down: that is said from here, every second. */
function words(task: Task, why: Explanation | undefined, now: number): string {
  const { lease } = task;
  if (lease) {
    const left = Math.max(0, (Date.parse(lease.until) - now) / 1000);
    const asked = task.cancel_requested ? " Cancel was requested; the worker hears of it at its next heartbeat." : "";
    return `Attempt ${task.attempt} of ${task.max_attempts}, held by ${holder(lease, why)}, ${leaseWords(left)}.${asked}`;
  }
  const due = (Date.parse(task.run_at) - now) / 1000;
  if (task.status === "pending" && due > 0) {
    const error =
      task.attempt > 0 && task.last_error ? ` Attempt ${task.attempt} ended: ${task.last_error.split("\n", 1)[0]}` : "";
    return `Ready in ${brief(due)}.${error}`;
  }
  const ended = endedWords(task, now);
  if (ended) return ended;
  return why && why.status === labelOf(task, now) ? `${sentence(why.sentence)}.` : "";
}

function endedWords(
  { status, attempt, max_attempts: budget, started_at: from, ended_at: to, reason, last_error }: Task,
  now: number,
) {
  if (!to) return undefined;
  const ago = relative(Date.parse(to), now);
  if (status === "completed") {
    const ran = from ? ` after ${duration((Date.parse(to) - Date.parse(from)) / 1000)}` : "";
    return `In attempt ${attempt} of ${budget}${ran}, ${ago}.`;
  }
  const because = [reason?.replaceAll("_", " "), last_error?.split("\n", 1)[0]].filter(Boolean).join(": ");
  return `${status === "dead" ? `After attempt ${attempt} of ${budget}, ${ago}` : sentence(ago)}${because && `. ${sentence(because)}`}.`;
}

function leaseWords(left: number): string {
  return left > 0 ? `${brief(left)} of lease left` : "its lease has run out";
}

/** The label of the worker, as the hub's sentence has it; the lease itself only knows its id. */
function holder({ worker, owner }: { worker?: string; owner?: string }, why: Explanation | undefined): string {
  const named = /held by (.+?), (?:lease|its lease)/.exec(why?.sentence ?? "")?.[1];
  return named ?? owner ?? worker ?? "a worker";
}

function Progress({ task: { progress } }: { task: Task }) {
  const share = progress?.fraction;
  return (
    <p className={styles.progress}>
      {share !== undefined && <progress value={share} aria-label="progress" />}
      {share !== undefined && <span>{Math.round(share * 100)} %</span>}
      <span className="quiet">{progress?.note}</span>
    </p>
  );
}
