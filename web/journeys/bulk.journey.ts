// One verb for all that a filter selects: the exact count before, progress that
// outlives the page, and a stop that leaves what was not reached as it was.
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axe, expectReflow, launch, open, watch } from "./browser";
import { type Hub, startHub } from "./hub";
import { until } from "./seed";

const many = 10_000;
const others = 40;

let browser: Browser;
let hub: Hub;

beforeAll(async () => {
  [browser, hub] = await Promise.all([launch(), startHub()]);
  const file = join(await mkdtemp(join(tmpdir(), "tq-bulk-")), "tasks.jsonl");
  await writeFile(file, [...of("mail", many), ...of("build", others)].join("\n"));
  await hub.tq("enqueue", "--file", file);
});

afterAll(async () => {
  await browser.close();
  await hub.end();
});

function of(queue: string, n: number): string[] {
  return Array.from({ length: n }, () => JSON.stringify({ type: "report", queue }));
}

async function cancelled(): Promise<number> {
  const { total } = JSON.parse(await hub.tq("stats", "--json")) as { total: { cancelled: number } };
  return total.cancelled;
}

const commas = (n: number) => n.toLocaleString("en");
const bar = (page: Page) => page.getByRole("group", { name: "All that fit the filter" });
const strip = (page: Page) => page.getByRole("complementary", { name: "Operations on many tasks" });

/** Marks all that fit, asks for the cancel of so many, and lets it go at a rate. */
async function cancelAll(page: Page, n: number, rate: string): Promise<void> {
  await page.getByRole("button", { name: "Mark all that fit the filter" }).click();
  await bar(page)
    .getByText(`All ${commas(many)} tasks that fit`)
    .waitFor();
  await bar(page)
    .getByRole("button", { name: `Cancel ${commas(n)}`, exact: true })
    .click();
  const dialog = page.getByRole("dialog", { name: `Cancel ${commas(n)} tasks?` });
  await dialog.getByLabel("At").selectOption(rate);
  expect(await axe(page)).toEqual([]);
  await dialog.getByRole("button", { name: `Cancel ${commas(n)} tasks` }).click();
}

test("ten thousand are cancelled while nobody looks, stopped half way, and then to the end", async () => {
  const { page, trouble } = await open(browser, hub, "/tasks?q=queue:mail");
  await cancelAll(page, many, "100 a second");
  await strip(page)
    .getByText(/[1-9]\d* of 10,000 cancelled/)
    .waitFor();
  await page.close();
  const seen = await cancelled();
  await until(async () => (await cancelled()) > seen); // it goes on by itself

  const again = await page.context().newPage();
  const more = watch(again, hub.url);
  await again.goto(`${hub.url}/tasks?q=queue:mail`);
  await strip(again)
    .getByText(/of 10,000 cancelled/)
    .waitFor();
  expect(await axe(again)).toEqual([]);
  await strip(again).getByRole("button", { name: "Stop" }).click();
  await strip(again).getByText("Stopped. What was done stays.").waitFor();
  await strip(again).getByRole("button", { name: "Dismiss" }).click();
  const stopped = await cancelled();
  expect(stopped).toBeGreaterThan(seen);
  expect(stopped).toBeLessThan(many);

  await cancelAll(again, many - stopped, "full speed");
  await strip(again)
    .getByText(`${commas(many - stopped)} of ${commas(many - stopped)} cancelled`)
    .waitFor();
  await strip(again).getByText("Done.").waitFor();
  await again.setViewportSize({ width: 320, height: 700 });
  await expectReflow(again);
  expect(await cancelled(), "the other queue is as it was").toBe(many);
  expect([...trouble, ...more]).toEqual([]);
  await again.context().close();
});
