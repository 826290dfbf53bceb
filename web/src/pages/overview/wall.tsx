// The pigeonhole wall: a compartment for each queue, showing what is in it now.
import { Link } from "@tanstack/react-router";
import type { Stats } from "../../api/shapes";
import { number } from "../../format/number";
import { brief } from "../../format/time";
import { Bar, held } from "../../ui/bar";
import styles from "./wall.module.css";

const shown = 24;

export function Wall({ queues, starved }: { queues: readonly Stats[]; starved: readonly string[] }) {
  const most = Math.max(1, ...queues.map(held));
  const sorted = queues.toSorted((a, b) => urgency(b) - urgency(a));
  return (
    <>
      <ul className={styles.wall}>
        {sorted.slice(0, shown).map((queue) => (
          <Compartment key={queue.queue} of={queue} most={most} starved={starved.includes(queue.queue ?? "")} />
        ))}
      </ul>
      {queues.length > shown && (
        <p className="quiet small">{number(queues.length - shown)} quieter queues are not shown.</p>
      )}
    </>
  );
}

/** Places hold still while numbers move: only whether there is anything decides, then the name. */
function urgency({ dead, ready, running, scheduled, blocked }: Stats): number {
  if (dead > 0) return 2;
  return ready + running + scheduled + blocked > 0 ? 1 : 0;
}

function Compartment({ of, most, starved: hungry }: { of: Stats; most: number; starved: boolean }) {
  const name = of.queue ?? "";
  const mark = of.paused ? "paused" : hungry ? "no worker" : "";
  return (
    <li className={styles.hole}>
      <h3 className={styles.name}>
        <Link to="/queues/$queue" params={{ queue: name }} className={styles.link}>
          {name}
        </Link>
        {mark && <em className={styles.mark}>{mark}</em>}
      </h3>
      <Bar of={of} most={most} />
      <dl className={styles.numbers}>
        <Figure name="ready" value={number(of.ready)} />
        <Figure name="oldest" value={of.oldest_ready_seconds ? brief(of.oldest_ready_seconds) : "–"} />
        <Figure name="running" value={number(of.running)} />
        {of.dead > 0 && <Figure name="dead" value={number(of.dead)} />}
      </dl>
    </li>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd data-dead={name === "dead" || undefined}>{value}</dd>
    </div>
  );
}
