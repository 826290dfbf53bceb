// An ordinary day with one incident, made through the command line: tasks of
// every status, a paused queue, three causes of death, a worker at work.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tmpdir } from "node:os";
import type { Hub } from "./hub";

export const big = "9007199254740993"; // 2^53+1: no float64 holds it

const failing = (text: string) => `echo '${text}' >&2; exit 1`;

const day = [
  ...repeat(5, { type: "sh", queue: "build", project: "shop", payload: "true" }),
  ...repeat(3, { type: "sh", queue: "shop:tasks", payload: failing("test run timed out after 30 s"), max_attempts: 1 }),
  ...repeat(2, { type: "sh", queue: "agents", payload: failing("go build: undefined: parseFlags"), max_attempts: 1 }),
  { type: "sh", queue: "agents", payload: failing("502 from registry.example.com"), max_attempts: 5 },
  { type: "sh", queue: "build", project: "shop", payload: "sleep 600", tags: ["nightly"] },
  { type: "sh", queue: "mail", payload: "true", delay_seconds: 7200 },
];

/** Fills the hub; returns the worker, which is busy with the one long task. */
export async function seedDay(hub: Hub) {
  const file = join(tmpdir(), `tq-day-${process.pid}.jsonl`);
  await writeFile(file, `${day.map((task) => JSON.stringify(task)).join("\n")}\n`);
  await hub.tq("enqueue", "--file", file);
  const worker = hub.start("worker", "--name", "runner-1", "--concurrency", "2");
  await hub.tq("queue", "pause", "scrape");
  const report = await hub.tq(
    "enqueue",
    "--type",
    "report",
    "--queue",
    "scrape",
    "--key",
    "shard-07",
    "--payload",
    corpus,
  );
  const held = await hub.tq("enqueue", "--type", "sh", "--queue", "mail", "--payload", "true", "--deps", report);
  await until(async () => (await hub.tq("stats", "--json")).includes('"dead":5'));
  const [known] = rows<{ id: string }>(await hub.tq("workers", "--json"));
  const [largest] = rows<{ fingerprint: string }>(await hub.tq("dlq", "--group", "--json"));
  return {
    worker,
    report: Number(report),
    blocked: Number(held),
    retried: day.findIndex((task) => "max_attempts" in task && task.max_attempts === 5) + 1,
    runner: known?.id ?? "",
    cause: largest?.fingerprint ?? "",
  };
}

/** Numbers, markup, escapes and direction marks that must be shown as they are. */
export const corpus = `{"n":${big},"x":"<img src=x onerror=alert(1)>","ansi":"\\u001b[31mred","bidi":"a\\u202eb","e":1.0e2}`;

/** What --json prints: one object a line. */
function rows<T>(text: string): T[] {
  return text.split("\n").map((line) => JSON.parse(line) as T);
}

function repeat<T>(times: number, of: T): T[] {
  return Array.from({ length: times }, () => of);
}

/** Waits for what another process brings about, as long as the test may take. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  // oxlint-disable-next-line no-await-in-loop -- one question after the other is the point
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50));
}
