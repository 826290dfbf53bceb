// Copying that also works over plain http, where the clipboard interface is missing.
import { type ReactNode, useEffect, useState } from "react";

export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyOldWay(text);
  }
}

function copyOldWay(text: string): void {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "unseen";
  const host = document.querySelector("dialog[open]") ?? document.body;
  const before = document.activeElement;
  host.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  if (before instanceof HTMLElement) before.focus();
}

const shownMs = 1500;

/** A button that copies and says so. */
export function Copy({ text, children = "Copy", label }: { text: string; children?: ReactNode; label?: string }) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(setDone, shownMs, false);
    return () => clearTimeout(timer);
  }, [done]);
  return (
    <button aria-label={label} onClick={() => void copy(text).then(() => setDone(true))}>
      {done ? "Copied" : children}
    </button>
  );
}
