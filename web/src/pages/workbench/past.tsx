// What was sent before, to be opened again.
import { clock } from "../../format/time";
import { useNow } from "../../live/tick";
import { Empty } from "../../ui/notice";
import { visible } from "../../ui/text-block";
import type { Sent } from "./history";
import styles from "./workbench.module.css";

export function Past({ past, open, clear }: { past: readonly Sent[]; open: (sent: Sent) => void; clear: () => void }) {
  const now = useNow();
  if (past.length === 0) return <Empty title="Each request that you send is kept here, to be sent again." />;
  return (
    <>
      <ul>
        {past.map((sent) => (
          <li key={sent.at} className={styles.past}>
            <button className={styles.again} onClick={() => open(sent)}>
              <span className="mono quiet">{clock(sent.at, now)}</span>{" "}
              <span className="mono">
                {sent.method} {visible(sent.address)}
              </span>
            </button>
            <span className={styles.status} data-bad={sent.refused !== undefined || undefined}>
              {outcome(sent)}
            </span>
          </li>
        ))}
      </ul>
      <p className={styles.send}>
        <button onClick={clear}>Forget them</button>
      </p>
    </>
  );
}

export function outcome({ refused }: Sent): string {
  if (refused === undefined) return "done";
  return refused === 0 ? "no answer" : `refused, ${refused}`;
}
