// A browser has one stream for all its tabs, and what holds where it cannot:
// without shared workers one tab leads, without locks each is alone, and where
// no stream comes through the page asks. The hub counts its streams itself.
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, open, watch } from "./browser";
import { type Hub, startHub, streamsOf } from "./hub";

let browser: Browser;
let hub: Hub;

beforeAll(async () => {
  [browser, hub] = await Promise.all([launch(), startHub()]);
});

afterAll(async () => {
  await browser.close();
  await hub.end();
});

const enqueue = () => hub.tq("enqueue", "--type", "report");
const live = (page: Page) => page.getByText("live", { exact: true }).waitFor();
const opens = (n: number) => expect.poll(() => streamsOf(hub), { timeout: 20_000 }).toBe(n);

async function sees(page: Page, id: string): Promise<void> {
  await page.bringToFront();
  await page
    .getByRole("complementary", { name: "Journal" })
    .getByRole("link", { name: id, exact: true })
    .first()
    .waitFor();
}

/** Further tabs, opened one after the other as a person does. */
async function tabs(context: BrowserContext, n: number): Promise<Page[]> {
  const all: Page[] = [];
  while (all.length < n) {
    const page = await context.newPage(); // oxlint-disable-line no-await-in-loop
    await page.goto(`${hub.url}/`); // oxlint-disable-line no-await-in-loop
    await live(page); // oxlint-disable-line no-await-in-loop
    all.push(page);
  }
  return all;
}

/** A browser without some of its parts. */
async function crippled(without: string): Promise<BrowserContext> {
  const { page } = await open(browser, hub, "about:blank");
  const context = page.context();
  await context.addInitScript(without);
  await page.close();
  return context;
}

const noWorkers = "delete globalThis.SharedWorker;";
const noLocks = 'Object.defineProperty(Navigator.prototype, "locks", { value: undefined });';

test("eight tabs of a browser are one stream at the hub", async () => {
  const first = await open(browser, hub);
  await live(first.page);
  const all = [first.page, ...(await tabs(first.page.context(), 7))];
  const id = await enqueue();
  for (const tab of all) await sees(tab, id); // oxlint-disable-line no-await-in-loop -- one tab is in front at a time
  expect(await streamsOf(hub)).toBe(1);
  await first.page.close();
  const next = await enqueue();
  await sees(all[7] as Page, next); // whoever opened it may go
  expect(first.trouble).toEqual([]);
  await all[7]?.context().close();
  await opens(0);
});

test("without shared workers one tab leads, and another takes over without a gap", async () => {
  const context = await crippled(noWorkers);
  const [leader, second, third] = (await tabs(context, 3)) as [Page, Page, Page];
  const trouble = watch(third, hub.url);
  expect(await streamsOf(hub)).toBe(1);
  await sees(third, await enqueue());
  await leader.close();
  const between = await enqueue();
  for (const tab of [second, third]) await sees(tab, between); // oxlint-disable-line no-await-in-loop
  await opens(1);
  expect(trouble).toEqual([]);
  await context.close();
  await opens(0);
});

test("without locks each tab has a stream of its own", async () => {
  const context = await crippled(noWorkers + noLocks);
  const both = await tabs(context, 2);
  await opens(2);
  const id = await enqueue();
  for (const tab of both) await sees(tab, id); // oxlint-disable-line no-await-in-loop
  await context.close();
  await opens(0);
});

test("where no stream comes through, the page asks", async () => {
  const context = await crippled(noWorkers);
  await context.route("**/v1/events*", (route) => route.abort());
  const page = await context.newPage();
  await page.goto(`${hub.url}/`);
  await page.getByText("polling", { exact: true }).waitFor();
  await sees(page, await enqueue());
  await page
    .getByText(/\d+ tasks are ready/)
    .first()
    .waitFor();
  await context.close();
});
