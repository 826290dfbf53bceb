// What holds on every page: nothing to object to for axe in both themes, no
// trouble in the console, no request to elsewhere, nothing cut off at 320 px.
// With TQ_PICTURES=FOLDER a picture of each page in each theme is kept there.
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axe, expectReflow, launch, open } from "./browser";
import { type Hub, startHub } from "./hub";
import { pagesUnderTest } from "./pages";
import { seedDay } from "./seed";

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
const narrow = { width: 320, height: 700 };

async function picture(page: Page, name: string): Promise<void> {
  if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`) });
}

test.each(pagesUnderTest)("$name has nothing to object to", async ({ name, path, ready }) => {
  const { page, trouble } = await open(browser, hub, path(seeded), { reducedMotion: "reduce" });
  await page.getByText(ready).first().waitFor();
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await axe(page), `axe, ${colorScheme}`).toEqual([]);
    await picture(page, `${name}-${colorScheme}`);
  }
  await page.setViewportSize(narrow);
  await expectReflow(page);
  expect(await axe(page), "axe at 320 px").toEqual([]);
  expect(trouble).toEqual([]);
  await page.context().close();
});
