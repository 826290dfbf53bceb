// Every queue: how full it is, how long its oldest task has waited, who is held.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { overview } from "../../api/queries";
import type { Stats } from "../../api/shapes";
import { useTitle } from "../../app/title";
import { count, number } from "../../format/number";
import { brief } from "../../format/time";
import { Bar, held } from "../../ui/bar";
import { Lead } from "../../ui/lead";
import { Empty, Failure, FirstSteps, Loading } from "../../ui/notice";
import { Section } from "../../ui/section";
import { PauseButton } from "./acts";
import styles from "./queues.module.css";
import { queuesWords } from "./words";

export function Queues() {
  useTitle("Queues");
  const { data, error, refetch } = useQuery(overview);
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading what="the queues" lines={12} />;
  if (data.queues.length === 0) return <NoQueues />;
  const most = Math.max(1, ...data.queues.map(held));
  return (
    <>
      <Lead>{queuesWords(data.queues, data.starved)}</Lead>
      <Section title="Queues" note="the bars are as long as the queues are full beside each other">
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">queue</th>
              <th scope="col">in it now</th>
              <th scope="col" className="number">
                ready
              </th>
              <th scope="col" className="number">
                oldest
              </th>
              <th scope="col" className="number">
                running
              </th>
              <th scope="col" className="number">
                dead
              </th>
              <th scope="col">
                <span className="unseen">hold or let go</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.queues.map((of) => (
              <Row key={of.queue} of={of} most={most} starved={data.starved.includes(of.queue ?? "")} />
            ))}
          </tbody>
        </table>
      </Section>
    </>
  );
}

function NoQueues() {
  return (
    <>
      <Lead>There is no queue yet.</Lead>
      <Empty title="A queue begins with its first task.">
        <FirstSteps />
      </Empty>
    </>
  );
}

function Row({ of, most, starved: hungry }: { of: Stats; most: number; starved: boolean }) {
  const name = of.queue ?? "";
  const mark = of.paused ? "paused" : hungry ? "no worker" : "";
  return (
    <tr>
      <th scope="row" className={styles.name}>
        <Link to="/queues/$queue" params={{ queue: name }} className="mono">
          {name}
        </Link>
        {mark && <em className={styles.mark}>{mark}</em>}
      </th>
      <td className={styles.bar}>
        <Bar of={of} most={most} />
      </td>
      <td className="number" data-name="ready">
        {number(of.ready)}
      </td>
      <td className="number" data-name="oldest">
        {of.oldest_ready_seconds ? brief(of.oldest_ready_seconds) : "–"}
      </td>
      <td className="number" data-name="running">
        {number(of.running)}
      </td>
      <td className="number" data-name="dead">
        {of.dead > 0 ? (
          <Link
            to="/tasks"
            search={{ q: `queue:${name} status:dead` }}
            className={styles.dead}
            aria-label={`${count(of.dead, "dead task")} in ${name}`}
          >
            {number(of.dead)}
          </Link>
        ) : (
          "–"
        )}
      </td>
      <td className={styles.act}>
        <PauseButton of={of} />
      </td>
    </tr>
  );
}
