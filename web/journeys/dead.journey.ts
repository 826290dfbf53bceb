// Many dead letters of few causes: one is tried, then the rest follow, and what
// died of something else is left alone.
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, open } from "./browser";
import { type Hub, startHub } from "./hub";

const many = 600; // of the cause that gets mended
const refused = 1_300;
const others = 100;
const all = many + refused + others;
const markup = "<img src=x onerror=alert(1)> \u001b[31mred";

let browser: Browser;
let hub: Hub;

beforeAll(async () => {
  [browser, hub] = await Promise.all([launch(), startHub()]);
  const file = join(await mkdtemp(join(tmpdir(), "tq-dead-")), "tasks.jsonl");
  await writeFile(file, [...of("shards", many), ...of("mail", refused), ...of("other", others)].join("\n"));
  await hub.tq("enqueue", "--file", file);
  for (let died = 0; died < all;) died += await serve("fail"); // oxlint-disable-line no-await-in-loop -- one claim after the other
});

afterAll(async () => {
  await browser.close();
  await hub.end();
});

function of(queue: string, n: number): string[] {
  return Array.from({ length: n }, () => JSON.stringify({ type: "report", queue, max_attempts: 1 }));
}

/** What tasks of a queue die of: in each a little different. */
const deaths: Record<string, (id: number) => string> = {
  shards: (id) => `shard ${id} timed out after ${id} s`,
  mail: (id) => `connect to 10.0.0.${id % 250}:25: refused`,
  other: () => markup,
};

interface Claimed {
  tasks: { id: number; queue: string; lease_token: string }[];
}

/** A worker that claims once, waiting for the first, and settles all alike. */
async function serve(how: "fail" | "complete"): Promise<number> {
  const { tasks } = await post<Claimed>("/v1/claims", { types: ["report"], max: 100, wait_seconds: 20 });
  const leases = tasks.map(({ id, queue, lease_token }) =>
    how === "fail" ? { lease_token, error: deaths[queue]?.(id) } : { lease_token, result: "sent" },
  );
  await post(`/v1/leases/${how}`, { leases });
  return tasks.length;
}

async function post<T>(path: string, body: unknown): Promise<T> {
  const headers = { Authorization: `Bearer ${hub.token}`, "Content-Type": "application/json" };
  const answer = await fetch(hub.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

async function stands(status: "dead" | "completed" | "ready"): Promise<number> {
  const { total } = JSON.parse(await hub.tq("stats", "--json")) as { total: Record<string, number> };
  return total[status] ?? 0;
}

test("2,000 dead letters of three causes are three lines, and markup in an error is text", async () => {
  const { page, trouble } = await open(browser, hub, "/dead");
  await page.getByRole("heading", { name: "2,000 dead letters of three causes" }).waitFor();
  expect(await page.getByRole("row").count()).toBe(4);
  await page.getByRole("link", { name: "<img src=x" }).click();
  await page.getByText("\\x1b[31mred").first().waitFor();
  expect(trouble).toEqual([]);
  await page.context().close();
});

test("when the one that is tried dies again, the rest are not touched", async () => {
  const { page } = await open(browser, hub, "/dead");
  await page.getByRole("link", { name: "timed out after" }).click();
  await page.getByRole("button", { name: "Rescue one, then the rest" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Rescue task \d+$/ })
    .click();
  await serve("fail");
  await page.getByText(`The other ${many - 1} were not touched`).waitFor();
  await page.getByRole("button", { name: "Stop here" }).click();
  await page.getByText("Stopped.").waitFor();
  expect(await stands("dead")).toBe(all);
  await page.context().close();
});

test("one, then the rest at a rate; the other causes stay", async () => {
  const { page, trouble } = await open(browser, hub, "/dead");
  await page.getByRole("link", { name: "timed out after" }).click();
  await page.getByRole("button", { name: "Rescue one, then the rest" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("tq rescue ").first().waitFor();
  await dialog.getByLabel("The rest at").selectOption("100 a second");
  await dialog.getByText("--rate 100/s").waitFor();
  await dialog.getByRole("button", { name: /^Rescue task \d+$/ }).click();
  expect(await serve("complete")).toBe(1);
  await dialog.getByText(`${many - 1} of ${many - 1} rescued`).waitFor();
  await dialog.getByRole("button", { name: "Done" }).click();
  expect(await stands("completed")).toBe(1);
  expect(await stands("ready")).toBe(many - 1);
  expect(await stands("dead"), "the other causes").toBe(refused + others);
  await page.getByText("Nothing is dead of this any more").waitFor();
  expect(trouble).toEqual([]);
  await page.context().close();
});
