// Behind a proxy that serves the hub below a path of its own.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, open } from "./browser";
import { type Hub, startHub } from "./hub";
import { type Proxy, startProxy } from "./proxy";

let browser: Browser;
let hub: Hub;
let proxy: Proxy;

beforeAll(async () => {
  [browser, hub] = await Promise.all([launch(), startHub()]);
  proxy = await startProxy(hub.url, "/ops/tq");
});

afterAll(async () => {
  await browser.close();
  proxy.end();
  await hub.end();
});

test("every file, question and link stays below the prefix", async () => {
  const id = await hub.tq("enqueue", "--type", "report", "--payload", '{"a":1}');
  const { page, trouble } = await open(browser, { ...hub, url: proxy.url }, `/tasks/${id}`);
  await page.getByRole("region", { name: "Payload" }).waitFor();
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await page.getByText("Pigeonholes").waitFor();
  expect(new URL(page.url()).pathname).toBe("/ops/tq/");
  await page.getByText("live", { exact: true }).waitFor();
  expect(trouble).toEqual([]);
  await page.context().close();
  await expect.poll(() => proxy.streams(), { timeout: 10_000 }).toBe(0); // whoever goes takes the streams along
});
