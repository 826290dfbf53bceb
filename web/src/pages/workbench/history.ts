// What was sent from here, newest first, as long as the tab is open: a body may
// hold what nobody should find later.

export interface Sent {
  at: number;
  operation: string;
  values: Readonly<Record<string, string>>;
  body: string;
  method: string;
  address: string;
  refused?: number; // with this status; 0 is no answer at all
  took: number; // milliseconds
}

const storageKey = "tq.workbench";
const kept = 40;

export function history(): Sent[] {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? "[]") as Sent[];
  } catch {
    return [];
  }
}

/** With sent in front; the same request as before takes its place. */
export function remember(before: readonly Sent[], sent: Sent): Sent[] {
  const [newest, ...rest] = before;
  const again = newest?.address === sent.address && newest.method === sent.method && newest.body === sent.body;
  const out = [sent, ...(again ? rest : before)].slice(0, kept);
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(out));
  } catch {
    // Too large, or forbidden: then it lasts as long as the page.
  }
  return out;
}

export function forget(): Sent[] {
  sessionStorage.removeItem(storageKey);
  return [];
}
