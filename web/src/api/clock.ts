// The hub's clock. The browser's may be minutes off, so ages and countdowns use
// this one; it is read off the Date of every answer, which has whole seconds.

let ahead = 0; // of the hub before this browser, in milliseconds
let known = false;

/** What time it is for the hub, in milliseconds since 1970. */
export function hubNow(): number {
  return Date.now() + ahead;
}

/** Learns from the Date header of an answer that came just now. */
export function heard(date: string | null): void {
  const at = date ? Date.parse(date) : Number.NaN;
  if (Number.isNaN(at)) return;
  const seen = at + 500 - Date.now();
  // The header is cut to the second: a small difference says nothing new.
  if (known && Math.abs(seen - ahead) < 1500) return;
  ahead = Math.abs(seen) < 1500 ? 0 : seen;
  known = true;
}
