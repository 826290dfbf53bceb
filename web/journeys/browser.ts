// Debian's Chromium, and pages that tell of everything they should not have done.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect } from "vitest";
import type { Hub } from "./hub";
import { observe } from "./vitals";

const patience = 90_000; // milliseconds for one step, on a machine that has much else to do
const executablePath = process.env["TQ_CHROMIUM"] ?? "/usr/bin/chromium";
const quiet = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const axeTags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath, args: quiet });
}

export interface Watched {
  page: Page;
  trouble: string[]; // console errors, policy reports, requests to elsewhere
}

/** A page of a context of its own, signed in, watched from its first moment. */
export async function open(
  browser: Browser,
  hub: Hub,
  path = "/",
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, timezoneId: "UTC", ...options });
  context.setDefaultTimeout(patience);
  await context.addInitScript(observe);
  await context.request.post(`${hub.url}/session`, { data: { token: hub.token } });
  const page = await context.newPage();
  const trouble = watch(page, hub.url);
  if (path !== "about:blank") await page.goto(hub.url + path);
  return { page, trouble };
}

/** Notes what a page does wrong; allowed are refusals that a test provokes, by what they say. */
export function watch(page: Page, origin: string, allowed?: RegExp): string[] {
  const trouble: string[] = [];
  const note = (text: string) => void (allowed?.test(text) || trouble.push(text));
  page.on("console", (said) => ["error", "warning"].includes(said.type()) && note(`console: ${said.text()}`));
  page.on("pageerror", (error) => note(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    note(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(data|blob):/.test(url)) note(`request: ${url}`);
  });
  return trouble;
}

interface AxeResult {
  violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[];
}

/** What axe finds wrong, in words; an empty list is what is wanted. */
export async function axe(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(
    (tags) =>
      (globalThis as unknown as { axe: { run: (on: Document, how: object) => Promise<AxeResult> } }).axe.run(document, {
        runOnly: tags,
      }),
    axeTags,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`),
  );
}

/** Nothing sticks out at the side. */
export async function expectReflow(page: Page): Promise<void> {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(over, "pixels wider than the window").toBeLessThanOrEqual(0);
}
