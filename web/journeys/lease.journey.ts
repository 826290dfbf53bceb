// A worker dies while somebody looks at its task.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, open } from "./browser";
import { type Hub, startHub } from "./hub";
import { until } from "./seed";

let browser: Browser;
let hub: Hub;

beforeAll(async () => {
  [browser, hub] = await Promise.all([launch(), startHub()]);
});

afterAll(async () => {
  await browser.close();
  await hub.end();
});

const statusOf = async (id: string) => (JSON.parse(await hub.tq("show", id, "--json")) as { status: string }).status;

test("the lease of a killed worker runs out, another takes the task, the fence shuts the first out", async () => {
  const id = await hub.tq("enqueue", "--type", "sh", "--payload", "sleep 300");
  const first = hub.start("worker", "--name", "runner-1", "--lease", "4s");
  await until(async () => (await statusOf(id)) === "running");
  const { page, trouble } = await open(browser, hub, `/tasks/${id}`);
  await page.getByText(/held by runner-1, \d s of lease left/).waitFor();
  await page.getByRole("meter", { name: `lease of task ${id}` }).waitFor();

  first.kill("SIGKILL");
  await page.getByText("its lease has run out").or(page.getByText("since then")).first().waitFor();
  hub.start("worker", "--name", "runner-2", "--lease", "30s");
  await page.getByText(/held by runner-2/).waitFor();
  const remark = page.getByText("from here whatever runner-1 reports is refused: fence 1 < 2");
  await remark.first().waitFor({ state: "attached" });
  expect(trouble).toEqual([]);
});
