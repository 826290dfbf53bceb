// The sentence that a page opens with: what there is to know, numbers first.
import type { ReactNode } from "react";
import styles from "./lead.module.css";

export function Lead({ children }: { children: ReactNode }) {
  return <h1 className={styles.lead}>{children}</h1>;
}

/** Buttons and links below a lead. */
export function Acts({ children }: { children: ReactNode }) {
  return <div className={styles.acts}>{children}</div>;
}
