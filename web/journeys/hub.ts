// A real hub over a store of its own, and the command line beside it. The store
// is a file; where TQ_STORES begins an address of PostgreSQL (test/onpostgres),
// it is there.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";

const binary = process.env["TQ_BINARY"] ?? join(import.meta.dirname, "../../bin/tq");
const stores = process.env["TQ_STORES"];
const run = promisify(execFile);

export const engine = stores ? "PostgreSQL" : "SQLite";

export interface Hub {
  url: string; // http://127.0.0.1:PORT
  token: string; // of this machine, which may do everything
  tq: (...args: string[]) => Promise<string>; // the command line, on the hub's store
  start: (name: string, ...args: string[]) => ChildProcess; // a tq that stays, such as a worker
  stop: () => Promise<void>; // the hub alone
  restart: () => Promise<void>; // at the same address
  end: () => Promise<void>; // all of it, and the folder
}

export async function startHub(...flags: string[]): Promise<Hub> {
  const folder = await mkdtemp(join(tmpdir(), "tq-journey-"));
  const env = {
    ...process.env,
    TQ_DB: stores ? stores + basename(folder).slice("tq-journey-".length).toLowerCase() : join(folder, "tq.db"),
    XDG_CONFIG_HOME: folder,
    XDG_DATA_HOME: folder,
    NO_COLOR: "1",
  };
  const children = new Set<ChildProcess>();
  const start = (name: string, ...args: string[]) => {
    const child = spawn(binary, [name, ...args], { env, stdio: ["ignore", "ignore", "pipe"] });
    children.add(child);
    child.on("exit", () => children.delete(child));
    return child;
  };
  let hub = start("serve", "--addr", "127.0.0.1:0", ...flags);
  const { origin, host } = new URL(await printedLink(hub));
  return {
    url: origin,
    token: (await readFile(join(folder, "tq/token"), "utf8")).trim(),
    start,
    tq: async (...args) => (await run(binary, args, { env })).stdout.trim(),
    stop: () => ended(hub, "SIGTERM"),
    restart: async () => {
      hub = start("serve", "--addr", host, ...flags);
      await printedLink(hub);
    },
    end: async () => {
      await Promise.all([...children].map((child) => ended(child, "SIGKILL")));
      await rm(folder, { recursive: true });
    },
  };
}

/** How many streams of events the hub has open, by its own count. */
export async function streamsOf(hub: Hub): Promise<number> {
  const answer = await fetch(`${hub.url}/metrics`, { headers: { Authorization: `Bearer ${hub.token}` } });
  return Number(/^tq_event_streams (\d+)$/m.exec(await answer.text())?.[1]);
}

/** The link that the hub prints as soon as it listens. */
function printedLink(hub: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    hub.stderr?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const link = /(http:\S+code=\S+)\s/.exec(said)?.[1];
      if (link) resolve(link);
    });
    hub.on("exit", () => reject(new Error(`the hub ended: ${said}`)));
  });
}

function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.on("exit", () => resolve());
    child.kill(signal);
  });
}
