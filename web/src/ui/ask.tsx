// A dialog that says what will happen, with the exact count and the line that
// one would type instead, before it happens.
import { type ReactNode, useState } from "react";
import styles from "./ask.module.css";
import { Command } from "./command";
import { Dialog } from "./dialog";
import { sayFailure } from "./toast";

export interface AskProps {
  title: string;
  open: boolean;
  close: () => void;
  yes: string; // on the button that does it
  no: string;
  line: string;
  run: () => Promise<void>;
  children: ReactNode;
}

export function Ask({ title, open, close, yes, no, line, run, children }: AskProps) {
  const [busy, setBusy] = useState(false);
  const act = async () => {
    setBusy(true);
    try {
      await run();
      close();
    } catch (error) {
      sayFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} open={open} close={close}>
      <div className={styles.text}>{children}</div>
      <Command line={line} />
      <p className={styles.buttons}>
        <button className={styles.main} disabled={busy} onClick={() => void act()}>
          {yes}
        </button>
        <button onClick={close}>{no}</button>
      </p>
    </Dialog>
  );
}
