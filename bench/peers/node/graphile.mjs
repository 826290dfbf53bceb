import { Logger, makeWorkerUtils, run } from "graphile-worker";
import pg from "pg";
import { drain, enqueues, pause, payload, put, quantile } from "./measure.mjs";

const [scenario, url, tasks, seconds] = process.argv.slice(2);
const n = Number(tasks);
const logger = new Logger(() => () => {});
const pgPool = new pg.Pool({ connectionString: url, max: 32 });
const utils = await makeWorkerUtils({ pgPool, logger });
await utils.migrate();

const one = (first, batch) =>
  batch === 1
    ? utils.addJob("bench", payload(first))
    : utils.addJobs(Array.from({ length: batch }, (_, i) => ({ identifier: "bench", payload: payload(first + i) })));

const start = (worker) => async (ran) => {
  const runner = await run({
    preset: { worker: { ...worker, pollInterval: 2000, logger } },
    pgPool,
    logger,
    noHandleSignals: true,
    taskList: { bench: async (task) => ran(task.n) },
  });
  return () => runner.stop();
};

const fast = { concurrentJobs: 24, localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 };

async function pickup() {
  let began;
  const stop = await start({ concurrentJobs: 4 })(() => began(performance.now()));
  const waits = [];
  for (let i = 0; i < 300; i++) {
    await pause(5);
    const beginning = new Promise((resolve) => (began = resolve));
    await one(i, 1);
    const answered = performance.now();
    waits.push(Math.max(0, (await beginning) - answered));
  }
  await stop();
  waits.splice(0, 5);
  return [{ measure: "pick-up", tasks: waits.length, p50_ms: quantile(waits, 0.5), p99_ms: quantile(waits, 0.99) }];
}

const scenarios = {
  enqueue: () => enqueues(n, Number(seconds), one),
  drain: async () => {
    await put(4, 1000, n, 60, one);
    return [await drain(n, Number(seconds), start(fast))];
  },
  pickup,
};
console.log(JSON.stringify(await scenarios[scenario]()));
process.exit(0);
