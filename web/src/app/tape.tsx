// The journal's newest facts, newest on top. Rows are slots: a fact moves
// through them, the page never shifts.
import type { Fact } from "../api/shapes";
import { number } from "../format/number";
import { useLive } from "../live/store";
import { Glyph } from "../status/glyph";
import { labelOfFact } from "../status/status";
import { TaskRef } from "../ui/task-ref";
import { Clock } from "../ui/when";
import styles from "./tape.module.css";

const slots = 60;

export function Tape() {
  const { facts, rate } = useLive();
  return (
    <aside className={styles.tape} aria-label="Journal">
      <h2 className={styles.head}>
        Tape <span className={styles.rate}>{number(rate)}/s</span>
      </h2>
      <ol className={styles.slots}>
        {facts.slice(0, slots).map((fact, slot) => (
          // oxlint-disable-next-line react/no-array-index-key -- the slot is the row's identity
          <li key={slot} className={styles.slot}>
            <Line fact={fact} />
          </li>
        ))}
      </ol>
      {facts.length === 0 && <p className="quiet small">Nothing has happened yet.</p>}
    </aside>
  );
}

function Line({ fact }: { fact: Fact }) {
  return (
    <>
      <span className={styles.time}>
        <Clock at={fact.at} />
      </span>
      {fact.task_id ? <Glyph of={labelOfFact(fact)} /> : <span />}
      <span className={styles.text}>
        {fact.kind.replace(/^task\./, "").replace("-", " ")} {fact.task_id && <TaskRef id={fact.task_id} />}{" "}
        <span className="quiet">{fact.actor ?? fact.queue}</span>
      </span>
    </>
  );
}
