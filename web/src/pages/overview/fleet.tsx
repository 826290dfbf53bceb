// Who is on what now, and how long the lease has left.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { running, workers } from "../../api/queries";
import type { Task, Worker } from "../../api/shapes";
import { Glyph } from "../../status/glyph";
import { Command } from "../../ui/command";
import { Fuse, useLeft } from "../../ui/fuse";
import { Empty, Failure, Loading } from "../../ui/notice";
import { Ago } from "../../ui/when";
import { brief } from "../../format/time";
import styles from "./fleet.module.css";

const shown = 20;

interface Line {
  key: string;
  who: string;
  worker?: Worker;
  task?: Task;
}

export function Fleet() {
  const fleet = useQuery(workers);
  const busy = useQuery(running);
  if (fleet.error) return <Failure error={fleet.error} />;
  if (!fleet.data || !busy.data) return <Loading what="the fleet" />;
  const lines = assign(fleet.data, busy.data);
  if (lines.length === 0) {
    return (
      <Empty title="No worker has ever called. Start one:">
        <Command line="tq worker" />
      </Empty>
    );
  }
  return (
    <table className={styles.fleet}>
      <thead>
        <tr>
          <th scope="col">worker</th>
          <th scope="col">doing now</th>
          <th scope="col">queue</th>
          <th scope="col">lease</th>
          <th scope="col" className="number">
            left
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.slice(0, shown).map((line) => (
          <Row key={line.key} line={line} />
        ))}
      </tbody>
    </table>
  );
}

/** A line for each running task under its worker, and one for each worker without. */
export function assign(fleet: readonly Worker[], tasks: readonly Task[]): Line[] {
  const holders = new Map<string, Task[]>();
  for (const task of tasks) {
    const holder = task.lease?.worker ?? task.lease?.owner ?? "";
    holders.set(holder, [...(holders.get(holder) ?? []), task]);
  }
  const lines: Line[] = [];
  for (const worker of fleet) {
    const own = holders.get(worker.id ?? "") ?? [];
    holders.delete(worker.id ?? "");
    if (worker.state === "lost" && own.length === 0) continue;
    lines.push(
      ...(own.length > 0
        ? own.map((task) => makeLine(nameOf(worker), task, worker))
        : [makeLine(nameOf(worker), undefined, worker)]),
    );
  }
  for (const [holder, own] of holders)
    lines.push(...own.map((task) => makeLine(task.lease?.owner ?? (holder || "a caller"), task)));
  return lines.toSorted((a, b) => a.who.localeCompare(b.who) || a.key.localeCompare(b.key));
}

function makeLine(who: string, task?: Task, worker?: Worker): Line {
  return { key: `${worker?.id ?? who}/${task?.id ?? ""}`, who, task, worker };
}

function nameOf({ name, owner, id, host }: Worker): string {
  const label = name ?? id ?? host ?? "a worker";
  return owner && owner !== label ? `${label} via ${owner}` : label;
}

function Row({ line: { who, task, worker } }: { line: Line }) {
  return (
    <tr data-idle={task ? undefined : true}>
      <th scope="row" className={styles.who}>
        {worker?.id ? (
          <Link to="/fleet/$worker" params={{ worker: worker.id }}>
            {who}
          </Link>
        ) : (
          who
        )}
      </th>
      <td className={styles.what}>{task ? <Doing task={task} /> : <Waiting worker={worker} />}</td>
      <td className={`mono ${styles.queue}`}>{task?.queue ?? worker?.queues?.join(", ") ?? "every queue"}</td>
      {task?.lease ? (
        <Lease task={task} />
      ) : (
        <>
          <td className={styles.lease}>–</td>
          <td className={`number ${styles.left}`}>–</td>
        </>
      )}
    </tr>
  );
}

function Doing({ task }: { task: Task }) {
  return (
    <>
      <Glyph of="running" /> <span className="unseen">running</span>
      <Link to="/tasks/$id" params={{ id: String(task.id) }}>
        {task.type} <span className="mono">{task.id}</span>
      </Link>{" "}
      <span className="quiet">{task.progress?.note ?? task.project}</span>
    </>
  );
}

function Waiting({ worker }: { worker?: Worker }) {
  if (!worker) return null;
  return (
    <span className="quiet">
      {worker.state === "polling" ? "idle" : worker.state}, seen <Ago at={worker.seen_at} />
    </span>
  );
}

function Lease({ task }: { task: Task }) {
  const left = useLeft(task);
  return (
    <>
      <td className={styles.lease}>
        <Fuse task={task} />
      </td>
      <td className={`number ${styles.left}`}>{left > 0 ? brief(left) : "run out"}</td>
    </>
  );
}
