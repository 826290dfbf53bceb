// The same thing as typed: a `tq` line with a button that copies it.
import styles from "./command.module.css";
import { Copy } from "./copy";

export function Command({ line }: { line: string }) {
  return (
    <div className={styles.command}>
      <code className={styles.line}>{line}</code>
      <Copy text={line} label={`Copy: ${line}`} />
    </div>
  );
}

/** Quotes a word for a shell when it needs it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
