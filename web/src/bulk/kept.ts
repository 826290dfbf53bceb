// The operations that were begun here: this browser keeps their ids, so that a
// page that is opened again, or another tab, shows how far they have come.
import { useSyncExternalStore } from "react";
import type { Counted } from "./words";

export interface Begun {
  id: string;
  action: string; // name of the Action
  filter: string;
  counted: Counted; // when it began
}

const storageKey = "tq.bulk";
const most = 8;
const listeners = new Set<() => void>();
let current: readonly Begun[] = stored();

addEventListener("storage", (event) => {
  if (event.key === storageKey) set(stored());
});

export function remember(begun: Begun): void {
  keep([begun, ...current].slice(0, most));
}

export function forget(id: string): void {
  keep(current.filter((each) => each.id !== id));
}

export function useBegun(): readonly Begun[] {
  return useSyncExternalStore(subscribe, () => current);
}

function keep(list: readonly Begun[]): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(list));
  } catch {
    // Private windows may forbid it; they are then kept as long as the page.
  }
  set(list);
}

function set(list: readonly Begun[]): void {
  current = list;
  for (const listener of listeners) listener();
}

function stored(): readonly Begun[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "[]");
    return Array.isArray(list) ? (list as Begun[]) : [];
  } catch {
    return [];
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
