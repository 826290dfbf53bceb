// What both programs here share: callers that put tasks in, and a count of
// those that ran. Each program prints the samples of one scenario as JSON.

export const payload = (n) => ({ n, x: "x".repeat(180) });

// put lets callers put up to n tasks in, for so many seconds at most.
export async function put(callers, batch, n, seconds, one) {
  let next = 0;
  let done = 0;
  const begun = performance.now();
  const caller = async () => {
    while (next < n && performance.now() - begun < seconds * 1000) {
      const first = next;
      next += batch;
      await one(first, batch);
      done += batch;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { done, seconds: (performance.now() - begun) / 1000 };
}

export async function enqueues(n, seconds, one) {
  const samples = [];
  for (const [measure, callers, batch] of [
    ["enqueue 1", 1, 1],
    ["enqueue 16", 16, 1],
    ["enqueue 100", 100, 1],
    ["enqueue batch", 4, 1000],
  ]) {
    const got = await put(callers, batch, n, seconds, one);
    samples.push({ measure, tasks: got.done, rate: got.done / got.seconds });
  }
  return samples;
}

// counter counts runs; all is kept when each of n has run.
export function counter(n) {
  const runs = new Uint32Array(n);
  let left = n;
  let finish;
  const all = new Promise((resolve) => (finish = resolve));
  return {
    all,
    ran(number) {
      if (++runs[number] === 1 && --left === 0) finish();
    },
    done: () => n - left,
    again: () => runs.filter((r) => r > 1).length,
  };
}

// drain measures until the last task has begun, or the time is up.
export async function drain(n, seconds, start) {
  const c = counter(n);
  const begun = performance.now();
  const stop = await start((number) => c.ran(number));
  let timer;
  await Promise.race([c.all, new Promise((resolve) => (timer = setTimeout(resolve, seconds * 1000)))]);
  clearTimeout(timer);
  const took = (performance.now() - begun) / 1000;
  const done = c.done();
  await stop();
  return { measure: "drain best", tasks: done, rate: done / took, again: c.again() };
}

export function quantile(values, q) {
  values.sort((a, b) => a - b);
  return values[Math.floor(q * (values.length - 1))];
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
