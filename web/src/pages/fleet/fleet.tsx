// Every worker: what it is doing now, how long its leases have left, when it was
// seen, and when there was last a sign of work. Presence is not progress.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { overview, running, workers } from "../../api/queries";
import type { Task, Worker } from "../../api/shapes";
import { useTitle } from "../../app/title";
import { sentence } from "../../format/number";
import { Glyph } from "../../status/glyph";
import { Command } from "../../ui/command";
import { Fuse } from "../../ui/fuse";
import { Lead } from "../../ui/lead";
import { Empty, Failure, Loading } from "../../ui/notice";
import { Section } from "../../ui/section";
import { Ago } from "../../ui/when";
import styles from "./fleet.module.css";
import { Left } from "./left";
import { Repositories } from "./repositories";
import { fleetWords, nameOf, stateWord } from "./workers";

export function FleetPage() {
  useTitle("Fleet");
  const fleet = useQuery(workers);
  const busy = useQuery(running);
  const counts = useQuery(overview).data?.workers;
  if (fleet.error && !fleet.data) return <Failure error={fleet.error} retry={() => void fleet.refetch()} />;
  if (!fleet.data || !busy.data || !counts) return <Loading what="the fleet" lines={12} />;
  const tasks = new Map(busy.data.map((task) => [task.id, task]));
  const held = new Set(fleet.data.flatMap((worker) => worker.running ?? []));
  const alone = busy.data.filter((task) => !held.has(task.id));
  return (
    <>
      <Lead>{fleetWords(counts)}</Lead>
      {fleet.data.length === 0 ? (
        <Empty title="Workers show themselves here with their first call. Start one:">
          <Command line="tq worker --concurrency 4" />
        </Empty>
      ) : (
        <Section title="Workers" note="seen is presence; a sign of work is progress">
          <Table fleet={fleet.data} tasks={tasks} />
        </Section>
      )}
      {alone.length > 0 && (
        <Section title="Held by hand" note="claimed over HTTP, MCP or tq claim, by nobody in the registry">
          <Table fleet={[]} tasks={new Map()} alone={alone} />
        </Section>
      )}
      <Repositories />
    </>
  );
}

function Table({
  fleet,
  tasks,
  alone = [],
}: {
  fleet: readonly Worker[];
  tasks: ReadonlyMap<number, Task>;
  alone?: readonly Task[];
}) {
  return (
    <table className={styles.fleet}>
      <thead>
        <tr>
          <th scope="col">worker</th>
          <th scope="col">doing now</th>
          <th scope="col">lease</th>
          <th scope="col">left</th>
          <th scope="col">seen</th>
          <th scope="col">sign of work</th>
        </tr>
      </thead>
      {fleet
        .toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)) || (a.id ?? "").localeCompare(b.id ?? ""))
        .map((worker) => (
          <OneWorker key={worker.id} worker={worker} tasks={tasks} />
        ))}
      {alone.length > 0 && (
        <tbody>
          {alone.map((task) => (
            <tr key={task.id}>
              <th scope="row" className={styles.who}>
                {task.lease?.worker ?? task.lease?.owner ?? "a caller"}
              </th>
              <Work task={task} />
              <td className={styles.seen}>–</td>
              <Sign task={task} />
            </tr>
          ))}
        </tbody>
      )}
    </table>
  );
}

const shown = 8; // tasks of one worker

function OneWorker({ worker, tasks }: { worker: Worker; tasks: ReadonlyMap<number, Task> }) {
  const own = (worker.running ?? []).map((id) => tasks.get(id)).filter((task) => task !== undefined);
  const rows = own.slice(0, shown);
  return (
    <tbody className={styles.one} data-state={worker.state} data-idle={rows.length === 0 || undefined}>
      <tr>
        <th scope="row" className={styles.who} rowSpan={Math.max(1, rows.length)}>
          <Link to="/fleet/$worker" params={{ worker: worker.id ?? "" }}>
            {nameOf(worker)}
          </Link>
          <span className={styles.where}>
            {worker.host}
            {own.length > shown && `, ${own.length} tasks`}
          </span>
        </th>
        {rows[0] ? <Work task={rows[0]} /> : <Nothing worker={worker} />}
        <td className={styles.seen} rowSpan={Math.max(1, rows.length)}>
          <Ago at={worker.seen_at} />
        </td>
        {rows[0] ? <Sign task={rows[0]} /> : <td className={styles.sign}>–</td>}
      </tr>
      {rows.slice(1).map((task) => (
        <tr key={task.id}>
          <Work task={task} />
          <Sign task={task} />
        </tr>
      ))}
    </tbody>
  );
}

function Work({ task }: { task: Task }) {
  return (
    <>
      <td className={styles.what}>
        <Glyph of="running" /> <span className="unseen">running</span>
        <Link to="/tasks/$id" params={{ id: String(task.id) }}>
          {task.type} <span className="mono">{task.id}</span>
        </Link>{" "}
        <span className="quiet">
          in{" "}
          <Link to="/queues/$queue" params={{ queue: task.queue }} className="mono">
            {task.queue}
          </Link>
        </span>
      </td>
      <td className={styles.lease}>
        <Fuse task={task} />
      </td>
      <td className={styles.left}>
        <Left until={task.lease?.until} />
      </td>
    </>
  );
}

function Nothing({ worker }: { worker: Worker }) {
  return (
    <>
      <td className={`quiet ${styles.what}`}>
        {sentence(stateWord(worker.state))}
        {worker.state !== "lost" && `, takes from ${worker.queues?.join(", ") || "every queue"}`}
      </td>
      <td className={styles.lease}>–</td>
      <td className={styles.left}>–</td>
    </>
  );
}

/** The newest thing that shows that the work moves: what the worker reported itself. */
function Sign({ task }: { task: Task }) {
  const { progress } = task;
  return (
    <td className={styles.sign}>
      {progress?.at ? <Ago at={progress.at} /> : "none yet"}
      {progress?.fraction !== undefined && ` ${Math.round(progress.fraction * 100)} %`}
      {progress?.note && <span className={styles.note}>{progress.note}</span>}
    </td>
  );
}
