// What most journeys begin with and leave behind: a browser, and a hub that
// nobody has used.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { launch } from "./browser";
import { type Hub, startHub } from "./hub";

export interface Stage {
  browser: Browser;
  hub: Hub;
}

/** Sets the stage before the first test of a file, and clears it after the last. */
export function stage(): Stage {
  const set = {} as Stage;
  beforeAll(async () => {
    [set.browser, set.hub] = await Promise.all([launch(), startHub()]);
  });
  afterAll(async () => {
    await set.browser.close();
    await set.hub.end();
  });
  return set;
}
