// Two hundred facts a second, and the pages that show them hold nobody up.
import { setInterval } from "node:timers/promises";
import { expect, test } from "vitest";
import { open } from "./browser";
import { held } from "./vitals";
import { stage } from "./stage";

const set = stage();

const seconds = 4;
const everySecond = 5; // bursts
const inBurst = 14; // tasks of three facts each: 210 facts a second

// Processor time of one task of the main thread; see pages.journey.ts for the slack.
const longest = 100 * Number(process.env["TQ_SLACK"] ?? 3);

async function ask<T>(path: string, body: object): Promise<T> {
  const answer = await fetch(`${set.hub.url}/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${set.hub.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

interface Claimed {
  tasks: { lease_token: string }[];
}

/** Enqueues, claims and completes tasks in bursts; returns how many were completed. */
async function rush(): Promise<number> {
  let done = 0;
  let bursts = 0;
  for await (const _ of setInterval(1000 / everySecond)) {
    await ask("tasks/batch", { tasks: Array.from({ length: inBurst }, () => ({ type: "rush", queue: "rush" })) });
    const { tasks } = await ask<Claimed>("claims", { types: ["rush"], max: inBurst });
    const leases = tasks.map(({ lease_token }) => ({ lease_token, result: { ok: true } }));
    await ask("leases/complete", { leases });
    done += leases.length;
    if (++bursts === seconds * everySecond) return done;
  }
  return done;
}

test.each(["/", "/tasks"])("%s keeps up", async (path) => {
  const { page, trouble } = await open(set.browser, set.hub, path);
  await page.getByText("live", { exact: true }).waitFor();
  let done = 0;
  const main = await held(set.browser, page, async () => {
    done = await rush();
  });
  expect(done).toBe(seconds * everySecond * inBurst);
  expect(main.longest, "milliseconds of the longest task").toBeLessThan(longest);
  expect(trouble).toEqual([]);
  await page.context().close();
});
