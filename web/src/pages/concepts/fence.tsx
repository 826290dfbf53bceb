// Why a worker that comes back too late can do no harm, in six steps.
import { useState } from "react";
import styles from "./fence.module.css";

interface Step {
  says: string;
  left: string; // what the first worker sees
  right: string;
  hub: string;
}

const steps: readonly Step[] = [
  {
    says: "runner-1 claims the task: epoch 6, a lease of 30 seconds.",
    left: "works, token 6",
    right: "",
    hub: "running, epoch 6",
  },
  {
    says: "It sends heartbeats, and each one moves the end of the lease.",
    left: "works, heartbeats",
    right: "",
    hub: "running, epoch 6",
  },
  {
    says: "Its machine stands still: swapped out, cut off, closed like a lid. No heartbeat comes.",
    left: "stands still",
    right: "",
    hub: "running, epoch 6, lease burning down",
  },
  {
    says: "The lease runs out. The hub does not know whether runner-1 lives, and need not: the task is ready again.",
    left: "stands still",
    right: "",
    hub: "ready, epoch 6",
  },
  {
    says: "runner-2 claims it: epoch 7. From now on token 6 opens nothing.",
    left: "stands still",
    right: "works, token 7",
    hub: "running, epoch 7",
  },
  {
    says: "runner-1 wakes up and reports: 6 is lower than 7, so it is told that its lease is lost, and stops. Nothing has changed for the task.",
    left: "refused: lease lost",
    right: "works, token 7",
    hub: "running, epoch 7",
  },
];

export function Fence() {
  const [at, setAt] = useState(0);
  const step = steps[at];
  if (!step) return null;
  return (
    <div className={styles.fence}>
      <div className={styles.lanes} aria-hidden="true">
        <Lane name="runner-1" upTo={at} pick={({ left }) => left} />
        <Lane name="hub" upTo={at} pick={({ hub }) => hub} />
        <Lane name="runner-2" upTo={at} pick={({ right }) => right} />
      </div>
      <p className={styles.says} aria-live="polite">
        <b>
          {at + 1} of {steps.length}.
        </b>{" "}
        {step.says}
      </p>
      <p className={styles.turn}>
        <button disabled={at === 0} onClick={() => setAt(at - 1)}>
          Back
        </button>
        <button disabled={at === steps.length - 1} onClick={() => setAt(at + 1)}>
          Next
        </button>
      </p>
      <p className={styles.prose}>
        So a task is delivered at least once: rarely, its work may run twice, and a handler has to be safe for that. But
        it is settled once. The same number travels with the work, as <code>TQ_FENCE</code> in the environment of a
        command and <code>Tq-Fence</code> in a request, so that systems of your own can refuse the older of two writers
        as well.
      </p>
    </div>
  );
}

function Lane({ name, upTo, pick }: { name: string; upTo: number; pick: (step: Step) => string }) {
  return (
    <div className={styles.lane}>
      <span className={styles.name}>{name}</span>
      {steps.map((step, at) => {
        const word = pick(step);
        const before = steps[at - 1];
        const same = before !== undefined && pick(before) === word;
        return (
          <span
            key={step.says}
            className={styles.cell}
            data-on={(at <= upTo && word !== "") || undefined}
            data-state={stateOf(word)}
            data-now={at === upTo || undefined}
          >
            {at <= upTo && !same ? word : ""}
          </span>
        );
      })}
    </div>
  );
}

function stateOf(word: string): string {
  if (/refused/.test(word)) return "refused";
  if (/still|burning/.test(word)) return "still";
  return /ready/.test(word) ? "ready" : "works";
}
