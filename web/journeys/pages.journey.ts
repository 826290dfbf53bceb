// What holds on every page: nothing to object to for axe in both themes, no
// trouble in the console, no request to elsewhere, nothing cut off at 320 px,
// nothing that jumps or holds up the browser, controls that are seen as such and
// show the focus, in forced colours too.
// With TQ_PICTURES=FOLDER a picture of each page in each theme is kept there.
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axe, expectReflow, launch, open } from "./browser";
import { controls } from "./controls";
import { type Hub, startHub } from "./hub";
import { pagesUnderTest } from "./pages";
import { seedDay } from "./seed";
import { held, shifted } from "./vitals";

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

const pictures = process.env["TQ_PICTURES"];
// Layout shift; milliseconds of total blocking time, 200 on a quiet machine. Even
// the processor's own time is up to three times as much where neighbours share
// its cores and caches and everything is traced: TQ_SLACK=1 asks for the 200.
const budget = { shift: 0.03, blocking: 200 * Number(process.env["TQ_SLACK"] ?? 3) };
const narrow = { width: 320, height: 700 };

async function picture(page: Page, name: string): Promise<void> {
  if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`) });
}

test.each(pagesUnderTest)("$name has nothing to object to", async ({ name, path, ready }) => {
  const { page, trouble } = await open(browser, hub, "about:blank", { reducedMotion: "reduce" });
  const { blocking } = await held(browser, page, async () => {
    await page.goto(hub.url + path(seeded));
    await page.getByText(ready).first().waitFor();
  });
  expect.soft(blocking, "total blocking time").toBeLessThan(budget.blocking);
  expect.soft(await shifted(page), "layout shift").toBeLessThan(budget.shift);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await axe(page), `axe, ${colorScheme}`).toEqual([]);
    await picture(page, `${name}-${colorScheme}`);
    expect.soft(await controls(page), `controls, ${colorScheme}`).toEqual([]);
  }
  await page.emulateMedia({ forcedColors: "active" });
  expect.soft(await controls(page), "controls in forced colours").toEqual([]);
  await page.emulateMedia({ forcedColors: "none" });
  await page.setViewportSize(narrow);
  await expectReflow(page);
  expect(await axe(page), "axe at 320 px").toEqual([]);
  expect(trouble).toEqual([]);
  await page.context().close();
});
