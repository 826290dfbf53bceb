// What happens is seen as it happens: by every tab over one stream, not while
// paused, and again after the hub was away.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, open } from "./browser";
import { type Hub, startHub } from "./hub";

let browser: Browser;
let hub: Hub;

beforeAll(async () => {
  [browser, hub] = await Promise.all([launch(), startHub()]);
  await hub.tq("enqueue", "--type", "report", "--queue", "mail");
});

afterAll(async () => {
  await browser.close();
  await hub.end();
});

const tape = (page: Page) => page.getByRole("complementary", { name: "Journal" });
const live = (page: Page) => page.getByText("live", { exact: true }).waitFor();
// A page that has just come live asks for everything once more, a second later.
const settled = (page: Page) =>
  page.waitForFunction(() =>
    performance.getEntriesByType("resource").every((each) => each.startTime + each.duration < performance.now() - 2000),
  );
const enqueue = () => hub.tq("enqueue", "--type", "report", "--queue", "mail");
const seen = (page: Page, id: string) => tape(page).getByRole("link", { name: id, exact: true }).first().waitFor();

test("a new task is on the tape at once, and behind a button in the list", async () => {
  const { page, trouble } = await open(browser, hub, "/tasks");
  await live(page);
  await page.locator("[id^=task-]").first().waitFor();
  await settled(page);
  const before = await page.getByRole("grid").locator("[id^=task-]").count();
  const id = await enqueue();
  await seen(page, id);
  expect(await page.locator(`#task-${id}`).count(), "rows hold still").toBe(0);
  await page.getByRole("button", { name: "Show 1 new" }).click();
  await page.locator(`#task-${id}`).waitFor();
  expect(await page.getByRole("grid").locator("[id^=task-]").count()).toBe(before + 1);
  expect(trouble).toEqual([]);
  await page.context().close();
});

test("paused is paused, and going on catches up", async () => {
  const { page } = await open(browser, hub);
  await live(page);
  await page.getByText("Tasks a minute").first().waitFor(); // the last to come when the page opens
  await page.keyboard.press("p");
  await page.getByText("paused", { exact: true }).waitFor();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  const before = await tape(page).textContent();
  const id = await enqueue();
  const other = await open(browser, hub);
  await seen(other.page, id); // by now a page that is not paused has heard of it
  expect(await tape(page).textContent()).toBe(before);
  expect(asked).toEqual([]);
  await page.keyboard.press("p");
  await seen(page, id);
  await Promise.all([page, other.page].map((each) => each.context().close()));
});

test("a hub that comes back is followed on, without a gap and without a double", async () => {
  const { page } = await open(browser, hub);
  await live(page);
  await hub.stop();
  await page.getByText(/^(reconnecting|polling)/).waitFor();
  const ids = [await enqueue(), await enqueue()]; // into the file, while the hub is away
  await hub.restart();
  await live(page); // still signed in
  for (const id of ids) expect(await countOf(page, id), `task ${id} on the tape`).toBe(1); // oxlint-disable-line no-await-in-loop -- two of them
  await page.context().close();
});

async function countOf(page: Page, id: string): Promise<number> {
  await seen(page, id);
  return tape(page).getByRole("link", { name: id, exact: true }).count();
}

test("a page whose clock is wrong still counts right", async () => {
  const { page } = await open(browser, hub, "about:blank");
  await page.clock.install({ time: Date.now() + 10 * 60_000 });
  const id = await hub.tq("enqueue", "--type", "report", "--queue", "mail", "--delay", "1h");
  await page.goto(`${hub.url}/tasks/${id}`);
  await page.getByText(/Ready in (59m|1h 00m)/).waitFor();
  await page.context().close();
});
