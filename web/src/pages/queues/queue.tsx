// One queue: how full, how fast, how long things wait, what runs, what died.
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { errors, overview, runningIn, workers } from "../../api/queries";
import type { Stats, Task, Worker } from "../../api/shapes";
import { useTitle } from "../../app/title";
import { count, number, sentence, spelled } from "../../format/number";
import { Bar } from "../../ui/bar";
import { Fuse } from "../../ui/fuse";
import { Acts, Lead } from "../../ui/lead";
import { Absent, Empty, Failure, Loading } from "../../ui/notice";
import { Section } from "../../ui/section";
import { Causes } from "../dead/causes";
import { Left } from "../fleet/left";
import { nameOf, serves } from "../fleet/workers";
import { PauseButton, PurgeButton } from "./acts";
import styles from "./queue.module.css";
import { queueWords } from "./words";

const Flow = lazy(() => import("../flow/flow"));

export function QueuePage() {
  const { queue } = useParams({ from: "/queues/$queue" });
  useTitle(`Queue ${queue}`);
  const { data, error, refetch } = useQuery(overview);
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading what={`queue ${queue}`} lines={20} />;
  const of = data.queues.find((each) => each.queue === queue);
  if (!of) {
    return (
      <Absent title={`There is no queue ${queue}.`} why="It has no task, and it is not paused.">
        <Link to="/enqueue" search={{ queue }}>
          Put the first task into it
        </Link>
      </Absent>
    );
  }
  return <Known of={of} name={queue} />;
}

function Known({ of, name }: { of: Stats; name: string }) {
  const dead = useQuery({ ...errors({ queue: name }), enabled: of.dead > 0 }).data;
  return (
    <>
      <Lead>
        <b className="mono">{name}</b>: {queueWords(of)}
      </Lead>
      <Acts>
        <PauseButton of={of} />
        <PurgeButton of={of} />
        <Link to="/enqueue" search={{ queue: name }}>
          Enqueue here
        </Link>
        <Link to="/tasks" search={{ q: `queue:${name}` }}>
          All its tasks
        </Link>
      </Acts>
      <Bar of={of} />
      <Figures of={of} />
      <Section title="Rates and waits">
        <div className={styles.charts}>
          <Suspense fallback={<Loading what="charts" />}>
            <Flow queue={name} />
          </Suspense>
        </div>
      </Section>
      <Section title="Running now" note={<Servers name={name} />}>
        <Running name={name} />
      </Section>
      {of.dead > 0 && (
        <Section title="What its dead died of" note={count(of.dead, "dead letter")}>
          {dead ? <Causes groups={dead.groups} /> : <Loading what="causes" />}
        </Section>
      )}
    </>
  );
}

function Figures({ of }: { of: Stats }) {
  const figures: [string, string, string][] = [
    ["ready", number(of.ready), "ready"],
    ["scheduled", number(of.scheduled - of.retrying), "scheduled"],
    ["retrying", number(of.retrying), "retrying"],
    ["blocked", number(of.blocked), "blocked"],
    ["running", number(of.running), "running"],
    ["completed", number(of.completed), "completed"],
    ["cancelled", number(of.cancelled), "cancelled"],
    ["dead", number(of.dead), "dead"],
  ];
  return (
    <ul className={styles.figures}>
      {figures.map(([name, value, status]) => (
        <li key={name}>
          <Link to="/tasks" search={{ q: `queue:${of.queue} status:${status}` }}>
            <span className="quiet small">{name}</span>
            <b>{value}</b>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Servers({ name }: { name: string }) {
  const fleet = useQuery(workers).data;
  if (!fleet) return null;
  const here = fleet.filter((worker) => serves(worker, name));
  if (here.length === 0) return <>no worker takes from this queue</>;
  return (
    <>
      {sentence(spelled(here.length))} {here.length === 1 ? "worker takes" : "workers take"} from it:{" "}
      {here.slice(0, 4).map((worker: Worker, at) => (
        <span key={worker.id}>
          {at > 0 && ", "}
          <Link to="/fleet/$worker" params={{ worker: worker.id ?? "" }}>
            {nameOf(worker)}
          </Link>
        </span>
      ))}
    </>
  );
}

function Running({ name }: { name: string }) {
  const { data, error } = useQuery(runningIn(name));
  if (error) return <Failure error={error} />;
  if (!data) return <Loading what="what runs" />;
  if (data.length === 0)
    return (
      <Empty title="Nothing is running here now. The next task that a worker claims from this queue appears here." />
    );
  return (
    <table className={styles.running}>
      <thead>
        <tr>
          <th scope="col">task</th>
          <th scope="col">lease</th>
          <th scope="col" className="number">
            left
          </th>
        </tr>
      </thead>
      <tbody>
        {data.map((task) => (
          <RunningRow key={task.id} task={task} />
        ))}
      </tbody>
    </table>
  );
}

function RunningRow({ task }: { task: Task }) {
  return (
    <tr>
      <th scope="row" className={styles.what}>
        <Link to="/tasks/$id" params={{ id: String(task.id) }}>
          {task.type} <span className="mono">{task.id}</span>
        </Link>{" "}
        <span className="quiet">{task.progress?.note ?? task.project}</span>
      </th>
      <td className={styles.lease}>
        <Fuse task={task} />
      </td>
      <td className="number mono">
        <Left until={task.lease?.until} />
      </td>
    </tr>
  );
}
