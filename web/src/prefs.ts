// What this person chose, kept in this browser only.
import { useSyncExternalStore } from "react";

export interface Prefs {
  theme: "system" | "light" | "dark";
  density: "normal" | "compact";
  motion: "system" | "off";
  utc: boolean;
  keys: boolean;
  announce: boolean;
}

const initial: Prefs = { theme: "system", density: "normal", motion: "system", utc: false, keys: true, announce: true };
const storageKey = "tq.prefs"; // public/theme.js reads it before the first paint
const listeners = new Set<() => void>();
let current: Prefs = { ...initial, ...stored() };

export function prefs(): Prefs {
  return current;
}

export function setPrefs(change: Partial<Prefs>): void {
  current = { ...current, ...change };
  store();
  show();
  for (const listener of listeners) listener();
}

export function usePrefs(): Prefs {
  return useSyncExternalStore(subscribe, prefs);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function show(): void {
  const { dataset } = document.documentElement;
  mark(dataset, "theme", current.theme === "system" ? undefined : current.theme);
  mark(dataset, "density", current.density === "compact" ? "compact" : undefined);
  mark(dataset, "motion", current.motion === "off" ? "off" : undefined);
}

function mark(dataset: DOMStringMap, name: string, value: string | undefined): void {
  if (value) dataset[name] = value;
  else delete dataset[name];
}

function stored(): Partial<Prefs> {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? "{}") as Partial<Prefs>;
  } catch {
    return {};
  }
}

function store(): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(current));
  } catch {
    // Private windows may forbid it; the choice then lasts as long as the page.
  }
}
