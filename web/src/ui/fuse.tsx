// A lease as a fuse that burns down, a tick a tenth, amber under a fifth.
import type { Task } from "../api/shapes";
import { useNow } from "../live/tick";
import { brief } from "../format/time";
import styles from "./fuse.module.css";

/** The longest each lease has been seen to run, so that the fuse knows its full length. */
const longest = new Map<string, number>();
const remembered = 2000;

/** What is left of a task's lease, in seconds, by the hub's clock. */
export function useLeft(task: Pick<Task, "lease">): number {
  const now = useNow();
  return task.lease ? Math.max(0, (Date.parse(task.lease.until) - now) / 1000) : 0;
}

function fullLength({ id, epoch, lease }: Task): number {
  const key = `${id}/${epoch}`;
  const length = Math.max(1, lease?.seconds_left ?? 0, longest.get(key) ?? 0);
  if (longest.size > remembered) longest.clear();
  longest.set(key, length);
  return length;
}

export function Fuse({ task }: { task: Task }) {
  const left = useLeft(task);
  const share = Math.min(1, left / fullLength(task));
  return (
    <div
      className={styles.fuse}
      role="meter"
      aria-label={`lease of task ${task.id}`}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
      aria-valuetext={`${brief(left)} left`}
    >
      <i className={styles.left} data-low={share < 0.2 || undefined} style={{ width: `${share * 100}%` }} />
    </div>
  );
}
