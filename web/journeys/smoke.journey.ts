// In short what the other journeys show at length, for every engine that a hub
// stands on: each page has its contents, what happens is seen, a rescue works.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, open, type Watched } from "./browser";
import { engine, type Hub, startHub } from "./hub";
import { pagesUnderTest } from "./pages";
import { seedDay } from "./seed";

let browser: Browser;
let hub: Hub;
let seeded: Awaited<ReturnType<typeof seedDay>>;
let watched: Watched;
let page: Page;

beforeAll(async () => {
  [browser, hub] = await Promise.all([launch(), startHub()]);
  seeded = await seedDay(hub);
  watched = await open(browser, hub);
  page = watched.page;
});

afterAll(async () => {
  await browser.close();
  await hub.end();
});

test(`the hub stands on ${engine}`, async () => {
  expect(await hub.tq("doctor")).toContain(engine);
});

test.each(pagesUnderTest)("$name has its contents", async ({ path, ready }) => {
  await page.goto(hub.url + path(seeded));
  await page.getByText(ready).first().waitFor();
  expect(watched.trouble).toEqual([]);
});

test("a new task is on the tape at once", async () => {
  await page.goto(`${hub.url}/tasks`);
  await page.getByText("live", { exact: true }).waitFor();
  const id = await hub.tq("enqueue", "--type", "report", "--queue", "mail");
  const tape = page.getByRole("complementary", { name: "Journal" });
  await tape.getByRole("link", { name: id, exact: true }).first().waitFor();
  expect(watched.trouble).toEqual([]);
});

const deadOf = async (fingerprint: string) => {
  const line =
    (await hub.tq("dlq", "--group", "--json")).split("\n").find((each) => each.includes(fingerprint)) ?? "{}";
  return (JSON.parse(line) as { dead?: number }).dead;
};

test("one of a cause is rescued and watched; it dies again, and the rest are left alone", async () => {
  expect(await deadOf(seeded.cause)).toBe(3);
  await page.goto(`${hub.url}/dead/${seeded.cause}`);
  await page.getByRole("button", { name: "Rescue one, then the rest" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: /^Rescue task \d+$/ }).click();
  await dialog.getByText("The other 2 were not touched").waitFor(); // the worker let it die of the same again
  await dialog.getByRole("button", { name: "Stop here" }).click();
  await dialog.getByText("Stopped.").waitFor();
  expect(await deadOf(seeded.cause)).toBe(3);
  expect(watched.trouble).toEqual([]);
});
