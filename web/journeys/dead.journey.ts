// Many dead letters of few causes: one is tried, then the rest follow, and what
// died of something else is left alone.
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, open } from "./browser";
import { type Hub, startHub } from "./hub";
import { until } from "./seed";

const many = 24;
const others = 3;
const markup = "<img src=x onerror=alert(1)> \u001b[31mred";

let browser: Browser;
let hub: Hub;
let mended: string; // tasks of the large cause succeed once this file is there

beforeAll(async () => {
  [browser, hub] = await Promise.all([launch(), startHub()]);
  const folder = await mkdtemp(join(tmpdir(), "tq-dead-"));
  mended = join(folder, "mended");
  const file = join(folder, "tasks.jsonl");
  const large = (i: number) => `test -f ${mended} || { echo 'shard ${i} timed out after ${i} s' >&2; exit 1; }`;
  const tasks = [
    ...Array.from({ length: many }, (_, i) => ({ type: "sh", queue: "shards", payload: large(i), max_attempts: 1 })),
    ...Array.from({ length: others }, () => ({
      type: "sh",
      queue: "other",
      payload: `printf '%s' '${markup}' >&2; exit 1`,
      max_attempts: 1,
    })),
  ];
  await writeFile(file, `${tasks.map((task) => JSON.stringify(task)).join("\n")}\n`);
  await hub.tq("enqueue", "--file", file);
  hub.start("worker", "--name", "runner-1", "--concurrency", "4");
  await until(() => stands("dead", many + others));
});

afterAll(async () => {
  await browser.close();
  await hub.end();
});

async function stands(status: "dead" | "completed", n: number): Promise<boolean> {
  const { total } = JSON.parse(await hub.tq("stats", "--json")) as { total: Record<string, number> };
  return total[status] === n;
}

test("two causes are two lines, and markup in an error is text", async () => {
  const { page, trouble } = await open(browser, hub, "/dead");
  await page.getByRole("heading", { name: `${many + others} dead letters of two causes` }).waitFor();
  expect(await page.getByRole("row").count()).toBe(3);
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
  await page.getByText(`The other ${many - 1} were not touched`).waitFor();
  await page.getByRole("button", { name: "Stop here" }).click();
  await page.getByText("Stopped.").waitFor();
  expect(await stands("dead", many + others)).toBe(true);
  await page.context().close();
});

test("one, then the rest; the other cause stays", async () => {
  await writeFile(mended, "");
  const { page, trouble } = await open(browser, hub, "/dead");
  await page.getByRole("link", { name: "timed out after" }).click();
  await page.getByRole("button", { name: "Rescue one, then the rest" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("tq rescue ").first().waitFor();
  await dialog.getByLabel("The rest at").selectOption("100 a second");
  await dialog.getByRole("button", { name: /^Rescue task \d+$/ }).click();
  await dialog.getByText(`${many - 1} of ${many - 1} rescued`).waitFor();
  await dialog.getByRole("button", { name: "Done" }).click();
  await until(() => stands("completed", many));
  expect(await stands("dead", others)).toBe(true);
  await page.getByText("Nothing is dead of this any more").waitFor();
  expect(trouble).toEqual([]);
  await page.context().close();
});
