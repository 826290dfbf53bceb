// One worker: three signals kept apart (seen, lease, sign of work), what it
// holds, what it did lately, and the way to take it out.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { ask } from "../../api/client";
import { running, workers } from "../../api/queries";
import type { Fact, Task, Worker } from "../../api/shapes";
import { useTitle } from "../../app/title";
import { count, sentence } from "../../format/number";
import { useLive } from "../../live/store";
import { Glyph } from "../../status/glyph";
import { labelOfFact } from "../../status/status";
import { Ask } from "../../ui/ask";
import { Fuse } from "../../ui/fuse";
import { Acts, Lead } from "../../ui/lead";
import { Absent, Empty, Failure, Loading } from "../../ui/notice";
import { Section } from "../../ui/section";
import { Terms } from "../../ui/terms";
import { say } from "../../ui/toast";
import { Ago, Clock } from "../../ui/when";
import { shellWord } from "../../ui/command";
import { Left } from "./left";
import styles from "./worker.module.css";
import { nameOf, removalWords, stateWord } from "./workers";

export function WorkerPage() {
  const { worker: id } = useParams({ from: "/fleet/$worker" });
  const { data, error, refetch } = useQuery(workers);
  const worker = data?.find((each) => each.id === id);
  useTitle(worker ? `Worker ${nameOf(worker)}` : "Worker");
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading what="the worker" lines={12} />;
  if (!worker) {
    return (
      <Absent
        title="This worker is not here any more."
        why="It said goodbye, or somebody took it out. Each start is a new worker."
      >
        <Link to="/fleet">See who is here</Link>
      </Absent>
    );
  }
  return <Known worker={worker} />;
}

function Known({ worker }: { worker: Worker }) {
  const tasks = useQuery(running).data;
  const own = tasks?.filter((task) => worker.running?.includes(task.id));
  return (
    <>
      <Lead>
        <b>{nameOf(worker)}</b> is {stateWord(worker.state)}, seen <Ago at={worker.seen_at} />.
      </Lead>
      <Acts>
        <Remove worker={worker} />
      </Acts>
      <Section
        title="Doing now"
        note={`${count(worker.running?.length ?? 0, "task")} of ${worker.slots ?? 1} at a time`}
      >
        {own ? <Held tasks={own} /> : <Loading what="its tasks" />}
      </Section>
      <Section title="What it says of itself">
        <Terms
          rows={[
            ["id", <code key="id">{worker.id}</code>],
            ["host", worker.host],
            ["version", worker.version],
            ["on behalf of", worker.owner],
            ["types", worker.types?.join(", ") || "any but sh, http and agent"],
            ["queues", worker.queues?.join(", ") || "every queue"],
            ["started", <Ago key="started" at={worker.started_at} />],
            ["draining", worker.draining && "yes: it takes nothing more"],
          ]}
        />
      </Section>
      <Section title="Lately" note="its newest facts, as far as this page has seen them">
        <Lately id={worker.id ?? ""} />
      </Section>
    </>
  );
}

function Held({ tasks }: { tasks: readonly Task[] }) {
  if (tasks.length === 0) return <Empty title="It holds no task. The next one that it claims appears here." />;
  return (
    <ul>
      {tasks.map((task) => (
        <li key={task.id} className={styles.held}>
          <p>
            <Glyph of="running" /> <span className="unseen">running</span>
            <Link to="/tasks/$id" params={{ id: String(task.id) }}>
              {task.type} <span className="mono">{task.id}</span>
            </Link>{" "}
            <span className="quiet">
              in <span className="mono">{task.queue}</span>, attempt {task.attempt} of {task.max_attempts}
            </span>
          </p>
          <Fuse task={task} />
          <dl className={styles.signals}>
            <div>
              <dt>lease left</dt>
              <dd>
                <Left until={task.lease?.until} />
              </dd>
            </div>
            <div>
              <dt>sign of work</dt>
              <dd>{task.progress?.at ? <Ago at={task.progress.at} /> : "none yet"}</dd>
            </div>
            {task.progress?.note && (
              <div>
                <dt>it says</dt>
                <dd>{task.progress.note}</dd>
              </div>
            )}
          </dl>
        </li>
      ))}
    </ul>
  );
}

const lately = 12;

function Lately({ id }: { id: string }) {
  const { facts } = useLive();
  const own = facts.filter((fact) => fact.actor === id).slice(0, lately);
  if (own.length === 0)
    return <Empty title="Nothing since this page was opened. What it does from now on appears here." />;
  return (
    <table>
      <tbody>
        {own.map((fact) => (
          <LatelyRow key={fact.seq} fact={fact} />
        ))}
      </tbody>
    </table>
  );
}

function LatelyRow({ fact }: { fact: Fact }) {
  return (
    <tr>
      <td className={`mono ${styles.when}`}>
        <Clock at={fact.at} />
      </td>
      <td>
        {fact.task_id !== undefined && <Glyph of={labelOfFact(fact)} />}{" "}
        {fact.kind.replace(/^task\./, "").replace("-", " ")}
      </td>
      <td>
        {fact.task_id !== undefined && (
          <Link to="/tasks/$id" params={{ id: String(fact.task_id) }} className="mono">
            {fact.task_id}
          </Link>
        )}{" "}
        <span className="quiet">{fact.queue}</span>
      </td>
    </tr>
  );
}

function Remove({ worker }: { worker: Worker }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const id = worker.id ?? "";
  const run = async () => {
    await ask(`/v1/workers/${encodeURIComponent(id)}`, { method: "DELETE" });
    say(`${sentence(nameOf(worker))} is out of the registry.`);
    await client.invalidateQueries();
    await navigate({ to: "/fleet" });
  };
  return (
    <>
      <button onClick={() => setOpen(true)}>Take it out</button>
      <Ask
        title={`Take ${nameOf(worker)} out of the registry?`}
        open={open}
        close={() => setOpen(false)}
        yes={`Take it out, ending ${count(worker.running?.length ?? 0, "lease")}`}
        no="Leave it"
        line={`tq workers remove ${shellWord(id)}`}
        run={run}
      >
        <p>{removalWords(worker)}</p>
      </Ask>
    </>
  );
}
