import { PgBoss } from "pg-boss";
import { drain, enqueues, payload, put } from "./measure.mjs";

const [scenario, url, tasks, seconds] = process.argv.slice(2);
const n = Number(tasks);
const boss = new PgBoss({ connectionString: url, max: 32, schedule: false, supervise: false });
boss.on("error", (e) => console.error(e));
await boss.start();
await boss.createQueue("bench");

const one = (first, batch) =>
  batch === 1
    ? boss.send("bench", payload(first))
    : boss.insert("bench", Array.from({ length: batch }, (_, i) => ({ data: payload(first + i) })));

// Fetch and complete by the thousand, over and over, twice at once.
const start = async (ran) => {
  let stopped = false;
  const hand = async () => {
    while (!stopped) {
      const got = await boss.fetch("bench", { batchSize: 1000 });
      if (got.length === 0) break;
      got.forEach((task) => ran(task.data.n));
      await boss.complete("bench", got.map((task) => task.id));
    }
  };
  const hands = [hand(), hand()];
  return async () => {
    stopped = true;
    await Promise.all(hands);
  };
};

const scenarios = {
  enqueue: () => enqueues(n, Number(seconds), one),
  drain: async () => {
    await put(4, 1000, n, 60, one);
    return [await drain(n, Number(seconds), start)];
  },
};
console.log(JSON.stringify(await scenarios[scenario]()));
process.exit(0);
