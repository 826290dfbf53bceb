// Short words about what was just done, at the foot of the page, read out politely.
import { useEffect, useSyncExternalStore } from "react";
import { describe } from "../api/problem";
import styles from "./toast.module.css";

interface Toast {
  text: string;
  hint?: string;
  failed: boolean;
}

const shownMs = 6000;
const listeners = new Set<() => void>();
let current: Toast | undefined;

export function say(text: string): void {
  show({ text, failed: false });
}

export function sayFailure(error: unknown): void {
  const { title, hint } = describe(error);
  show({ text: title, hint, failed: true });
}

function show(toast: Toast | undefined): void {
  current = toast;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toasts() {
  const toast = useSyncExternalStore(subscribe, () => current);
  useEffect(() => {
    if (!toast || toast.failed) return; // a failure stays until it was seen
    const timer = setTimeout(show, shownMs, undefined);
    return () => clearTimeout(timer);
  }, [toast]);
  return (
    <div className={styles.place} role="status" aria-live={toast?.failed ? "assertive" : "polite"}>
      {toast && (
        <p className={styles.toast} data-failed={toast.failed || undefined}>
          <span>
            {toast.text}
            {toast.hint && <span className="quiet"> {toast.hint}</span>}
          </span>
          <button onClick={() => show(undefined)}>Dismiss</button>
        </p>
      )}
    </div>
  );
}
