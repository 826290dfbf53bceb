import type { BulkState } from "../api/shapes";
import styles from "./strip.module.css";
import { type Counted, tallyOf, tallyWords } from "./words";

/** How far an operation has come, as a bar and in words. */
export function Progress({ state, counted, done }: { state: BulkState; counted: Counted; done: string }) {
  const tally = tallyOf(state, counted);
  return (
    <>
      <span className={styles.tally}>{tallyWords(tally, done)}</span>
      <progress className={styles.bar} value={tally.share} aria-label={done} />
    </>
  );
}
