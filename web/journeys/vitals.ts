// What a page costs whoever looks at it: how far things jump about, and how long
// the browser's main thread is held up (the budgets stand in the tests that ask).
import type { Browser, Page } from "playwright-core";

/** Tells of policy violations, and keeps what shifted; runs in a page before its own scripts. */
export function observe(): void {
  const shifts: number[] = [];
  Object.assign(globalThis, { shifts });
  addEventListener("securitypolicyviolation", (hurt) =>
    // oxlint-disable-next-line no-console -- the page's console is what watch() reads
    console.error(`policy: ${hurt.violatedDirective} of ${hurt.blockedURI} in ${hurt.sourceFile}`),
  );
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[]) {
      if (!entry.hadRecentInput) shifts.push(entry.value);
    }
  }).observe({ type: "layout-shift", buffered: true });
}

/** All that has shifted since the page was opened: no less than the CLS of its worst moment. */
export function shifted(page: Page): Promise<number> {
  return page.evaluate(() =>
    (globalThis as unknown as { shifts: number[] }).shifts.reduce((sum, value) => sum + value, 0),
  );
}

export interface Held {
  longest: number; // milliseconds of one task of a main thread
  blocking: number; // of all tasks, what each took beyond 50 ms: total blocking time
}

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  tdur?: number; // microseconds of the thread's own processor time
  args: { name?: string };
}

/**
 * How long main threads were held up while something was done. Counted is their
 * own processor time, not the clock's: what else the machine has to do, a gate
 * on two cores most of all, would be counted with it.
 */
export async function held(browser: Browser, page: Page, doing: () => Promise<void>): Promise<Held> {
  await browser.startTracing(page, { categories: ["disabled-by-default-devtools.timeline"] });
  await doing();
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const place = ({ pid, tid }: TraceEvent) => `${pid}/${tid}`;
  const named = (event: TraceEvent) => event.name === "thread_name" && event.args.name === "CrRendererMain";
  const main = new Set(trace.traceEvents.filter(named).map(place));
  const tasks = trace.traceEvents
    .filter((event) => event.name === "RunTask" && main.has(place(event)))
    .map(({ tdur = 0 }) => tdur / 1000);
  if (tasks.length === 0) throw new Error("the trace tells of no task of a main thread");
  return {
    longest: Math.max(...tasks),
    blocking: tasks.reduce((sum, ms) => sum + Math.max(0, ms - 50), 0),
  };
}
