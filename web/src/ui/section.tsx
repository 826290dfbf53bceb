// A part of a page: an ink rule, a plain heading, a word on the right.
import { type ReactNode, useId } from "react";
import styles from "./section.module.css";

export function Section({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <header className={styles.head}>
        <h2 id={id}>{title}</h2>
        {note !== undefined && <span className={styles.note}>{note}</span>}
      </header>
      {children}
    </section>
  );
}
