// One shape for each status, so that colour is never the only sign.
import type { ReactNode } from "react";
import styles from "./glyph.module.css";
import type { Label } from "./status";

const ring = <circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" strokeWidth="1.6" />;

const shapes: Record<Label, ReactNode> = {
  blocked: <path d="M8 1.5 14.5 8 8 14.5 1.5 8Z" fill="none" stroke="currentColor" strokeWidth="1.6" />,
  scheduled: (
    <>
      {ring}
      <path d="M8 4.5V8l2.6 1.8" fill="none" stroke="currentColor" strokeWidth="1.6" />
    </>
  ),
  ready: ring,
  running: (
    <>
      {ring}
      <path d="M8 1.8a6.2 6.2 0 0 1 0 12.4Z" fill="currentColor" />
    </>
  ),
  retrying: <path d="M13 8a5 5 0 1 1-1.5-3.6M13 1.8v3h-3" fill="none" stroke="currentColor" strokeWidth="1.8" />,
  completed: <circle cx="8" cy="8" r="7" fill="currentColor" />,
  dead: (
    <>
      <rect x="1.5" y="1.5" width="13" height="13" fill="currentColor" />
      <path d="m5 5 6 6m0-6-6 6" stroke="var(--paper)" strokeWidth="1.8" />
    </>
  ),
  cancelled: (
    <>
      {ring}
      <path d="M3.6 12.4 12.4 3.6" stroke="currentColor" strokeWidth="1.6" />
    </>
  ),
};

/** The shape alone; whoever uses it says the word beside it. */
export function Glyph({ of }: { of: Label }) {
  return (
    <svg className={styles.glyph} data-status={of} viewBox="0 0 16 16" aria-hidden="true">
      {shapes[of]}
    </svg>
  );
}

/** Shape and word. */
export function Status({ of }: { of: Label }) {
  return (
    <span className={styles.status}>
      <Glyph of={of} />
      {of}
    </span>
  );
}
