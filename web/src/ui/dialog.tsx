// A native modal dialog: the browser keeps the focus inside and gives it back.
// It begins at what is marked data-first, else at its first control.
import { type ReactNode, useEffect, useId, useRef } from "react";
import styles from "./dialog.module.css";

export interface DialogProps {
  title: string;
  open: boolean;
  close: () => void;
  children: ReactNode;
}

export function Dialog({ title, open, close, children }: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open && !dialog.current?.open) {
      dialog.current?.showModal();
      dialog.current?.querySelector<HTMLElement>("[data-first]")?.focus();
    }
    if (!open) dialog.current?.close();
  }, [open]);
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- Escape closes it by key
    <dialog ref={dialog} className={styles.dialog} aria-labelledby={id} onClose={close} onClick={closeOutside}>
      {open && (
        <>
          <header className={styles.head}>
            <h2 id={id}>{title}</h2>
            <button onClick={close}>Close</button>
          </header>
          {children}
        </>
      )}
    </dialog>
  );
}

/** A click on the backdrop hits the dialog itself, outside of its box. */
function closeOutside(event: React.MouseEvent<HTMLDialogElement>): void {
  const dialog = event.currentTarget;
  if (event.target !== dialog) return;
  const box = dialog.getBoundingClientRect();
  const { clientX: x, clientY: y } = event;
  if (x < box.left || x > box.right || y < box.top || y > box.bottom) dialog.close();
}
