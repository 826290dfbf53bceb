// One task as a row of the list.
import { memo } from "react";
import type { Task } from "../../api/shapes";
import { relative } from "../../format/time";
import { useNow } from "../../live/tick";
import { Status } from "../../status/glyph";
import { labelOf } from "../../status/status";
import styles from "./list.module.css";

export const columns = ["mark", "task", "status", "queue", "what", "try", "priority", "age"] as const;

export interface RowProps {
  task: Task;
  index: number;
  top: number;
  height: number;
  chosen: boolean;
  opened: boolean;
  marked: boolean;
  choose: () => void;
  mark: (on: boolean) => void;
}

export const Row = memo(function Row({ task, index, top, height, chosen, opened, marked, choose, mark }: RowProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the grid has the keys
    <div
      id={`task-${task.id}`}
      className={styles.row}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={marked}
      data-chosen={chosen || undefined}
      data-opened={opened || undefined}
      style={{ transform: `translateY(${top}px)`, height }}
      onClick={choose}
    >
      <span role="gridcell" className={styles.mark}>
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={`Mark task ${task.id}`}
          checked={marked}
          onClick={(event) => event.stopPropagation()}
          onChange={(event) => mark(event.target.checked)}
        />
      </span>
      <span role="gridcell" className={styles.task}>
        {task.id}
      </span>
      <span role="gridcell" className={styles.status}>
        <Standing task={task} />
      </span>
      <span role="gridcell" className={styles.queue}>
        {task.queue}
      </span>
      <span role="gridcell" className={styles.what}>
        {task.type} <span className="quiet">{about(task)}</span>
      </span>
      <span role="gridcell" className={styles.try}>
        {task.attempt}/{task.max_attempts}
      </span>
      <span role="gridcell" className={styles.priority}>
        {task.priority}
      </span>
      <span role="gridcell" className={styles.age}>
        <Age at={task.created_at} />
      </span>
    </div>
  );
}, sameRow);

/** Scheduled and retrying become ready by themselves as time goes by. */
function Standing({ task }: { task: Task }) {
  return <Status of={labelOf(task, useNow())} />;
}

/** Handlers are made anew with each frame; what is shown decides. */
function sameRow(a: RowProps, b: RowProps): boolean {
  return (
    a.task === b.task &&
    a.top === b.top &&
    a.height === b.height &&
    a.chosen === b.chosen &&
    a.opened === b.opened &&
    a.marked === b.marked
  );
}

/** What tells this task from its neighbours, most telling first. */
function about(task: Task): string {
  const error = ["dead", "pending"].includes(task.status) ? task.last_error?.split("\n", 1)[0] : undefined;
  const note = task.status === "running" ? task.progress?.note : undefined;
  return [error ?? note ?? task.idempotency_key, task.project, task.tags?.join(", ")].filter(Boolean).join(" · ");
}

function Age({ at }: { at: string }) {
  const now = useNow();
  return <time dateTime={at}>{relative(Date.parse(at), now).replace(" ago", "")}</time>;
}
