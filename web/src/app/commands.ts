// Everything that can be done by key, said once: the dispatcher, the help page
// and the palette all read this list, so they cannot drift apart.
import { useEffect, useSyncExternalStore } from "react";
import { prefs } from "../prefs";

export interface Command {
  keys: string; // "g o" is two keys after each other; "Shift+j", "Ctrl+k"; several ways with " | "
  what: string;
  group: "Go to" | "This page" | "Anywhere";
  run: () => void;
  hidden?: boolean; // not worth a line in the palette, such as moving one row
}

const sets = new Set<readonly Command[]>();
const listeners = new Set<() => void>();
let all: readonly Command[] = [];

/** Offers commands as long as the component is there. Keep the list's identity stable. */
export function useCommands(commands: readonly Command[]): void {
  useEffect(() => {
    sets.add(commands);
    changed();
    return () => {
      sets.delete(commands);
      changed();
    };
  }, [commands]);
}

export function useAllCommands(): readonly Command[] {
  return useSyncExternalStore(subscribe, () => all);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function changed(): void {
  all = [...sets].flat();
  for (const listener of listeners) listener();
}

const sequenceMs = 1200;

/** Listens to the keyboard until the returned function is called. */
export function listenToKeys(): () => void {
  let typed: string[] = [];
  let last = 0;
  const onKey = (event: KeyboardEvent) => {
    const key = nameOf(event);
    if (!key || !allowed(event, key)) return;
    if (event.timeStamp - last > sequenceMs) typed = [];
    last = event.timeStamp;
    typed = [...typed, key].slice(-2);
    const hit = match(typed.join(" ")) ?? match(key);
    if (!hit) return;
    event.preventDefault();
    typed = [];
    hit.run();
  };
  addEventListener("keydown", onKey);
  return () => removeEventListener("keydown", onKey);
}

/** A page's own command wins over one of the same key that holds anywhere. */
function match(keys: string): Command | undefined {
  const hits = all.filter((command) => command.keys.split(" | ").includes(keys));
  return hits.find((command) => command.group === "This page") ?? hits[0];
}

function nameOf(event: KeyboardEvent): string | undefined {
  if (["Shift", "Control", "Meta", "Alt"].includes(event.key)) return undefined;
  const control = event.ctrlKey || event.metaKey ? "Ctrl+" : "";
  const letter = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const shift = event.shiftKey && /^[a-z]$|^.{2,}$/.test(letter) ? "Shift+" : "";
  return control + shift + (letter === " " ? "Space" : letter);
}

/** Single letters type where people write, and do nothing when switched off. */
function allowed(event: KeyboardEvent, key: string): boolean {
  if (event.defaultPrevented || event.altKey || event.isComposing) return false;
  const target = event.target instanceof Element ? event.target : document.body;
  const single = !key.startsWith("Ctrl+") && key !== "Escape";
  if (single && (!prefs().keys || target.closest("input, textarea, select, [contenteditable]"))) return false;
  if (target.closest("dialog, [popover]")) return false; // there Escape closes, and nothing else is meant
  return !(["Enter", "Space"].includes(key) && target.closest("button, a, summary"));
}
