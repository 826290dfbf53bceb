// What is known about a task beside its payload, as a list of terms.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Task } from "../../api/shapes";
import { duration } from "../../format/time";
import { Ago, Clock } from "../../ui/when";
import styles from "./summary.module.css";

export function Summary({ task }: { task: Task }) {
  const rows: [string, ReactNode][] = [
    ["queue", <Filter key="q" name="queue" value={task.queue} />],
    ["type", <Filter key="t" name="type" value={task.type} />],
    ["project", task.project && <Filter key="p" name="project" value={task.project} />],
    ["tags", task.tags?.join(", ")],
    ["attempts", `${task.attempt} of ${task.max_attempts}`],
    ["epoch", task.epoch],
    ["priority", task.priority],
    ["key", task.idempotency_key && <span className="mono">{task.idempotency_key}</span>],
    ["timeout", task.timeout_seconds ? duration(task.timeout_seconds) : undefined],
    ["enqueued", <Instant key="c" at={task.created_at} />],
    ["started", task.started_at && <Instant at={task.started_at} />],
    ["ended", task.ended_at && <Instant at={task.ended_at} />],
    ["ran for", ran(task)],
    ["reason", task.reason],
    ["parent", task.parent && <TaskLink id={task.parent} />],
  ];
  return (
    <dl className={styles.summary}>
      {rows
        .filter(([, value]) => value !== undefined && value !== "" && value !== 0)
        .map(([name, value]) => (
          <div key={name} className={styles.row}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

function ran({ started_at: from, ended_at: to }: Task): string | undefined {
  return from && to ? duration((Date.parse(to) - Date.parse(from)) / 1000) : undefined;
}

function Filter({ name, value }: { name: string; value: string }) {
  return (
    <Link
      to="/tasks"
      search={{ q: `${name}:${/[\s,"]/.test(value) ? JSON.stringify(value) : value}` }}
      className="mono"
    >
      {value}
    </Link>
  );
}

function Instant({ at }: { at: string }) {
  return (
    <>
      <Clock at={at} />{" "}
      <span className="quiet">
        <Ago at={at} />
      </span>
    </>
  );
}

export function TaskLink({ id }: { id: number }) {
  return (
    <Link to="/tasks/$id" params={{ id: String(id) }} className="mono">
      {id}
    </Link>
  );
}
