// The list and a task: filters in the address, keys alone, text from tasks shown as it is.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axe, launch, open } from "./browser";
import { type Hub, startHub } from "./hub";
import { big, seedDay } from "./seed";

let browser: Browser;
let hub: Hub;
let seeded: Awaited<ReturnType<typeof seedDay>>;

beforeAll(async () => {
  [browser, hub] = await Promise.all([launch(), startHub()]);
  seeded = await seedDay(hub);
});

afterAll(async () => {
  await browser.close();
  await hub.end();
});

const rows = (page: Page) => page.getByRole("grid", { name: "Tasks" }).locator("[id^=task-]");

test("a filter lives in the address and comes back with it", async () => {
  const { page, trouble } = await open(browser, hub, "/tasks");
  await page.getByRole("searchbox", { name: "Filter" }).fill("status:dead queue:shop:tasks");
  await page.waitForURL(/q=status:dead\+queue:shop:tasks$/);
  await expect.poll(() => rows(page).count()).toBe(3);
  await expect(page.getByRole("button", { name: /^dead/ }).getAttribute("aria-pressed")).resolves.toBe("true");
  await rows(page).first().click();
  await page.getByRole("link", { name: "Open its page" }).click();
  await page.waitForURL(/\/tasks\/\d+$/);
  await page.goBack();
  await expect.poll(() => rows(page).count()).toBe(3);
  await page.reload();
  await expect.poll(() => rows(page).count()).toBe(3);
  expect(trouble).toEqual([]);
  await page.context().close();
});

test("a filter that is wrong says what is wrong", async () => {
  const { page } = await open(browser, hub, "/tasks?q=stauts:dead");
  await page.getByText("unknown field stauts: did you mean status?").waitFor();
  await page.context().close();
});

test("a dead task is rescued with keys alone", async () => {
  const { page, trouble } = await open(browser, hub);
  await page.getByText("Pigeonholes").waitFor();
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key); // oxlint-disable-line no-await-in-loop -- keys have an order
  };
  await press("g", "t");
  await rows(page).first().waitFor();
  await press("/");
  await page.keyboard.type('status:dead error:"timed out"');
  await press("Enter");
  await expect.poll(() => rows(page).count()).toBe(3);
  await press("Escape", "j", "x", "k", "x");
  await page.getByText("2 tasks marked").waitFor();
  await press("r");
  await page.getByRole("dialog", { name: "Rescue 2 tasks?" }).waitFor();
  expect(await axe(page)).toEqual([]);
  expect(await page.getByRole("dialog").getByRole("code").first().textContent()).toMatch(/^tq rescue \d+ \d+$/);
  await press("Enter");
  await page.getByText("Rescued 2 tasks.").waitFor();
  expect(trouble).toEqual([]);
  await page.context().close();
});

test("the page of keys lists what the keys do", async () => {
  const { page } = await open(browser, hub, "/tasks");
  await rows(page).first().waitFor();
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keys" });
  await keys.getByText("Mark or unmark").waitFor();
  await keys.getByText("Pause or resume live updates").waitFor();
  expect(await axe(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await keys.waitFor({ state: "hidden" });
  await page.context().close();
});

test("text from a task is shown as it is and does nothing", async () => {
  const { page, trouble } = await open(browser, hub, `/tasks/${seeded.report}`);
  const payload = page.getByRole("region", { name: "Payload" });
  await payload.waitFor();
  const text = (await payload.locator("pre").textContent()) ?? "";
  expect(text).toContain(`"n": ${big},`);
  expect(text).toContain('"x": "<img src=x onerror=alert(1)>"');
  expect(text).toContain(String.raw`"\u001b[31mred"`);
  expect(text).toContain('"e": 1.0e2');
  expect(await page.locator("main img").count()).toBe(0);
  expect(trouble).toEqual([]);
  await page.context().close();
});

test("escapes in an error are called by their name", async () => {
  const id = await hub.tq(
    "enqueue",
    "--type",
    "sh",
    "--max-attempts",
    "1",
    "--payload",
    String.raw`printf '\033[31mred\033[0m' >&2; exit 1`,
  );
  const { page } = await open(browser, hub, `/tasks/${id}`);
  const error = page.getByRole("region", { name: "Last error" });
  await error.waitFor();
  expect(await error.locator("pre").textContent()).toContain(String.raw`\x1b[31mred\x1b[0m`);
  await page.context().close();
});

test("a payload of 128 KiB is shown in part, and whole when asked", async () => {
  const id = await hub.tq(
    "enqueue",
    "--type",
    "report",
    "--payload",
    JSON.stringify({ text: "x".repeat(130_000), end: "the end" }),
  );
  const { page, trouble } = await open(browser, hub, `/tasks/${id}`);
  const payload = page.getByRole("region", { name: "Payload" });
  await payload.getByRole("button", { name: /Show all 127 KiB/ }).click();
  await payload.getByText("the end").waitFor();
  expect(trouble).toEqual([]);
  await page.context().close();
});

test("a task that is not there says so", async () => {
  const { page } = await open(browser, hub, "/tasks/999999");
  await page.getByText("There is no task 999999.").waitFor();
  await page.context().close();
});

test("the address of /v1/jobs leads to the task", async () => {
  const { page } = await open(browser, hub, `/jobs/${seeded.report}`);
  await page.waitForURL(new RegExp(`/tasks/${seeded.report}$`));
  await page.context().close();
});

test("a stranger is led to the sign-in page and back", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${hub.url}/tasks?q=status:dead`);
  await page.getByRole("textbox", { name: "Token" }).fill("tq_nonsense");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").waitFor();
  await page.getByRole("textbox", { name: "Token" }).fill(hub.token);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/tasks\?q=status:dead$/);
  await rows(page).first().waitFor();
  await context.close();
});
