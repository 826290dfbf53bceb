// How the tasks of a place are spread over what they do. What is done has left
// the place and is not drawn; each part has a fill of its own beside its colour.
import type { Stats } from "../api/shapes";
import { number } from "../format/number";
import type { Label } from "../status/status";
import styles from "./bar.module.css";

/** Most is the largest sum of its neighbours: a bar is as long as its place is full beside theirs. */
export function Bar({ of, most }: { of: Stats; most?: number }) {
  const parts = spread(of).filter(([, n]) => n > 0);
  const sum = parts.reduce((total, [, n]) => total + n, 0);
  const length = most ? Math.max(0.08, Math.sqrt(sum / most)) : 1;
  const words = parts.map(([label, n]) => `${number(n)} ${label}`).join(", ") || "empty";
  return (
    <div className={styles.bar} role="img" aria-label={words} title={words}>
      <div className={styles.parts} style={{ width: `${length * 100}%` }}>
        {parts.map(([label, n]) => (
          <i key={label} className={styles.part} data-status={label} style={{ flexGrow: n / sum }} />
        ))}
      </div>
    </div>
  );
}

/** How many tasks are in a place, those left out that are done. */
export function held(of: Stats): number {
  return of.running + of.ready + of.scheduled + of.blocked + of.dead;
}

function spread(of: Stats): [Label, number][] {
  return [
    ["running", of.running],
    ["ready", of.ready],
    ["retrying", of.retrying],
    ["scheduled", of.scheduled - of.retrying],
    ["blocked", of.blocked],
    ["dead", of.dead],
  ];
}
