// What stands where there is nothing to show: why, and what to do next.
import type { ReactNode } from "react";
import { describe } from "../api/problem";
import { Command } from "./command";
import { Lead } from "./lead";
import styles from "./notice.module.css";

/** An empty place is never just empty. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.notice}>
      <p>{title}</p>
      {children}
    </div>
  );
}

/** A page about what is not there: what is so, why that may be, and the way on. */
export function Absent({ title, why, children }: { title: string; why?: string; children: ReactNode }) {
  return (
    <>
      <Lead>{title}</Lead>
      <div className={styles.notice}>
        {why && <p>{why}</p>}
        {children}
      </div>
    </>
  );
}

/** A refusal or a failure, with its hint and a way to try again. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const { title, hint } = describe(error);
  return (
    <div className={styles.notice} role="alert">
      <p className={styles.title}>{title}</p>
      {hint && <p className="quiet">{hint}</p>}
      {retry && <button onClick={retry}>Try again</button>}
    </div>
  );
}

/** Reserved room while something loads; words, no spinner. */
export function Loading({ what, lines = 3 }: { what: string; lines?: number }) {
  return (
    <p className={styles.loading} style={{ minHeight: `calc(var(--row) * ${lines})` }}>
      Loading {what}
    </p>
  );
}

export function FirstSteps() {
  return (
    <>
      <p className="quiet">Put a task on a queue, and start a worker for it:</p>
      <Command line="tq enqueue --type sh --payload 'echo hello'" />
      <Command line="tq worker" />
    </>
  );
}
