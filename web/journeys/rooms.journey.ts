// Queues, fleet, enqueue, workbench, concepts and settings, each used as a
// person uses it; names from outside are shown as what they are.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axe, expectReflow, launch, open } from "./browser";
import { type Hub, startHub } from "./hub";
import { big, until } from "./seed";

const hostile = "<img src=x onerror=alert(1)>";

let browser: Browser;
let hub: Hub;

beforeAll(async () => {
  [browser, hub] = await Promise.all([launch(), startHub()]);
  for (const queue of ["mail", "mail", "mail", "build"]) {
    // oxlint-disable-next-line no-await-in-loop -- in this order
    await hub.tq("enqueue", "--type", "report", "--queue", queue);
  }
  await hub.tq("enqueue", "--type", "sh", "--queue", "shell", "--payload", "sleep 600");
  hub.start("worker", "--name", hostile, "--queue", "shell", "--concurrency", "1");
  await until(async () => (await hub.tq("workers", "--json")).includes('"state":"busy"'));
});

afterAll(async () => {
  await browser.close();
  await hub.end();
});

const dialog = (page: Page) => page.getByRole("dialog");

test("a queue is paused and goes on, with the line that one would type", async () => {
  const { page, trouble } = await open(browser, hub, "/queues");
  await page.getByRole("button", { name: "Pause mail", exact: true }).click();
  await dialog(page).getByText("tq queue pause mail").waitFor();
  await dialog(page).getByText("3 ready tasks").waitFor();
  await dialog(page).getByRole("button", { name: "Pause", exact: true }).click();
  await page.getByRole("heading", { name: "mail is paused" }).waitFor();
  expect(await hub.tq("queue", "list", "--json")).toContain('"paused":true');
  await page.getByRole("button", { name: "Resume mail", exact: true }).click();
  await dialog(page).getByRole("button", { name: "Resume", exact: true }).click();
  await page.getByRole("button", { name: "Pause mail", exact: true }).waitFor();
  expect(trouble).toEqual([]);
  await page.context().close();
});

test("a purge says how many before, and does so many", async () => {
  const { page } = await open(browser, hub, "/queues/mail");
  await page.getByRole("button", { name: "Purge" }).click();
  await dialog(page).getByText("tq queue purge mail --yes").waitFor();
  await dialog(page).getByRole("button", { name: "Delete 3 tasks" }).click();
  await page.getByText("Deleted 3 tasks.").waitFor();
  await page.getByRole("heading", { name: "mail: nothing waits and nothing runs" }).waitFor();
  expect(await hub.tq("list", "--queue", "mail", "--json")).toBe("");
  await page.context().close();
});

test("a worker shows what it holds, and is taken out", async () => {
  const { page, trouble } = await open(browser, hub, "/fleet");
  await page.getByRole("meter").waitFor();
  await page.getByRole("link", { name: hostile }).click();
  await page.getByRole("heading", { name: `${hostile} is busy` }).waitFor();
  await page.getByRole("button", { name: "Take it out" }).click();
  await dialog(page).getByText("tq workers remove ").waitFor();
  await dialog(page).getByRole("button", { name: "Take it out, ending 1 lease" }).click();
  await page.getByText("is out of the registry").waitFor();
  await until(async () => (await hub.tq("facts", "--kind", "lease-expired", "--json")) !== "");
  expect(trouble).toEqual([]);
  await page.context().close();
});

test("a repository of the pool shows its backlog, and what is in flight", async () => {
  const payload = JSON.stringify({ repo: "/srv/shop", prompt: "p", backlog: { open: 3, left_alone: 1 } });
  await hub.tq("enqueue", "--type", "agent", "--queue", "pool", "--project", hostile, "--payload", payload);
  const { page, trouble } = await open(browser, hub, "/fleet");
  const row = page.getByRole("row").filter({ hasText: "/srv/shop" });
  await row.getByRole("link", { name: hostile }).waitFor();
  await row.getByText("3 points open, 1 left alone").waitFor();
  await row.getByText("1 waiting").waitFor();
  await row.getByText("none yet").waitFor();
  expect(await axe(page)).toEqual([]);
  await expectReflow(page);
  expect(trouble).toEqual([]);
  await page.context().close();
});

test("a task is put in by the form, digit by digit, and copied", async () => {
  const { page, trouble } = await open(browser, hub, "/enqueue?queue=build");
  const editor = page.getByRole("textbox", { name: "Payload" });
  await page.getByLabel("Type", { exact: true }).fill("report");
  await editor.click();
  await page.keyboard.insertText("{");
  await page.getByRole("button", { name: "Enqueue", exact: true }).click();
  await page.getByText("Not yet: one field needs a look.").waitFor();
  await editor.click();
  await page.keyboard.press("Control+a"); // Chromium would copy styles into what is typed over it
  await page.keyboard.insertText(`{"n":${big},"x":"${hostile}"}`);
  await page.getByLabel("Key", { exact: true }).fill("once");
  await page.getByText(/tq enqueue --type report --queue build --payload .* --key once/).waitFor();
  await page.getByRole("button", { name: "Enqueue", exact: true }).click();
  await page.getByText("Timeline").waitFor();
  const id = /\d+$/.exec(new URL(page.url()).pathname)?.[0] ?? "";
  expect(await hub.tq("show", id, "--json")).toContain(`{"n":${big},"x":"${hostile}"}`);
  await page.getByRole("button", { name: "Duplicate" }).click();
  await page.getByRole("heading", { name: `A copy of task ${id}` }).waitFor();
  await editor.getByText(big).waitFor();
  expect(await page.getByLabel("Key", { exact: true }).inputValue()).toBe("");
  await page.getByRole("button", { name: "Enqueue", exact: true }).click();
  await page.getByText("Timeline").waitFor();
  expect(page.url()).not.toMatch(new RegExp(`/${id}$`));
  expect(trouble).toEqual([]);
  await page.context().close();
});

test("the workbench asks, answers, remembers, and says the same for a shell and an agent", async () => {
  const { page, trouble } = await open(browser, hub, "/workbench");
  await page.getByLabel("Operation").selectOption("GET /v1/tasks");
  await page.getByLabel("queue", { exact: true }).fill("build");
  await page.getByText("tq list --queue build").waitFor();
  await page.getByText(/^curl .*\/v1\/tasks\?queue=build/).waitFor();
  await page.getByText('"name":"tq_tasks"').waitFor();
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText('"tasks"').first().waitFor();
  await page.getByLabel("Operation").selectOption("GET /v1/tasks/{id}");
  expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
  await page.getByRole("button", { name: /GET \/v1\/tasks\?queue=build/ }).click();
  expect(await page.getByLabel("queue", { exact: true }).inputValue()).toBe("build");
  expect(trouble).toEqual([]);
  await page.context().close();
});

test("the concepts show what goes on, and the fence step by step", async () => {
  const { page, trouble } = await open(browser, hub, "/concepts");
  await page.getByRole("button", { name: "rescue", exact: true }).click();
  await page.getByText("task.rescued").waitFor();
  await hub.tq("enqueue", "--type", "report", "--queue", "build");
  await page.getByRole("button", { name: /enqueue.*in the last minute/ }).waitFor();
  for (let step = 2; step <= 6; step++) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await page.getByRole("button", { name: "Next" }).click();
  }
  await page.getByText("told that its lease is lost").waitFor();
  expect(trouble).toEqual([]);
  await page.context().close();
});

test("settings are kept, and signing out closes the door", async () => {
  const { page } = await open(browser, hub, "/settings");
  await page.getByText("rescue, delete, pause, purge").waitFor();
  await page.getByLabel("Theme").selectOption("dark");
  await page.reload();
  expect(await page.evaluate(() => document.documentElement.dataset["theme"])).toBe("dark");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.goto(`${hub.url}/tasks`);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.context().close();
});
