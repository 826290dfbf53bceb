// Durations and instants as people read them. Nothing is ever negative: clocks differ.

/** 210 ms · 8.2 s · 41 s · 2m 10s · 1h 04m · 3d 4h */
export function duration(seconds: number): string {
  const s = Math.max(0, seconds);
  if (s < 1) return `${Math.round(s * 1000)} ms`;
  if (s < 10) return `${trim(s.toFixed(1))} s`;
  if (s < 60) return `${Math.floor(s)} s`;
  if (s < 3600) return `${Math.floor(s / 60)}m ${two(s % 60)}s`;
  if (s < 86_400) return `${Math.floor(s / 3600)}h ${two((s % 3600) / 60)}m`;
  return `${Math.floor(s / 86_400)}d ${Math.floor((s % 86_400) / 3600)}h`;
}

/** A duration for a column or a countdown: whole seconds, at most two units. */
export function brief(seconds: number): string {
  const s = Math.max(0, Math.floor(seconds));
  return s < 10 ? `${s} s` : duration(s);
}

/** now · 12 s ago · in 3m 05s; both in milliseconds since 1970. */
export function relative(at: number, now: number): string {
  const seconds = (now - at) / 1000;
  if (Math.abs(seconds) < 1) return "now";
  return seconds > 0 ? `${brief(seconds)} ago` : `in ${brief(-seconds)}`;
}

/** 16:02:11, and with the day when it is not today's. */
export function clock(at: number, now: number, utc = false): string {
  const zone = utc ? "UTC" : undefined;
  const time = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", timeZone: zone }).format(at);
  return day(at, zone) === day(now, zone) ? time : `${day(at, zone)} ${time}`;
}

/** 2026-11-29T16:02:11.123Z, for titles and copies. */
export function exact(at: number): string {
  return Number.isFinite(at) ? new Date(at).toISOString() : "";
}

function day(at: number, zone?: string): string {
  return new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeZone: zone }).format(at);
}

function two(n: number): string {
  return String(Math.floor(n)).padStart(2, "0");
}

function trim(s: string): string {
  return s.endsWith(".0") ? s.slice(0, -2) : s;
}
