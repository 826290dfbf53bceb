// What is known about something, as a list of terms. Rows without a value are left out.
import type { ReactNode } from "react";
import styles from "./terms.module.css";

export function Terms({ rows }: { rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={styles.terms}>
      {rows
        .filter(([, value]) => value !== undefined && value !== "" && value !== false)
        .map(([name, value]) => (
          <div key={name} className={styles.row}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
