// A worker dies while somebody looks at its task.
import { expect, test } from "vitest";
import { open } from "./browser";
import { until } from "./seed";
import { stage } from "./stage";

const set = stage();

const statusOf = async (id: string) =>
  (JSON.parse(await set.hub.tq("show", id, "--json")) as { status: string }).status;

test("the lease of a killed worker runs out, another takes the task, the fence shuts the first out", async () => {
  const id = await set.hub.tq("enqueue", "--type", "sh", "--payload", "sleep 300");
  const first = set.hub.start("worker", "--name", "runner-1", "--lease", "4s");
  await until(async () => (await statusOf(id)) === "running");
  const { page, trouble } = await open(set.browser, set.hub, `/tasks/${id}`);
  await page.getByText(/held by runner-1, \d s of lease left/).waitFor();
  await page.getByRole("meter", { name: `lease of task ${id}` }).waitFor();

  first.kill("SIGKILL");
  await page.getByText("its lease has run out").or(page.getByText("since then")).first().waitFor();
  set.hub.start("worker", "--name", "runner-2", "--lease", "30s");
  await page.getByText(/held by runner-2/).waitFor();
  const remark = page.getByText("from here whatever runner-1 reports is refused: fence 1 < 2");
  await remark.first().waitFor({ state: "attached" });
  expect(trouble).toEqual([]);
});

test("who reports late is refused, and the page shows who holds the task instead", async () => {
  const id = await set.hub.tq("enqueue", "--type", "build");
  const claim = async (name: string, lease: string) =>
    JSON.parse(await set.hub.tq("claim", "--type", "build", "--name", name, "--lease", lease, "--json")) as {
      lease_token: string;
    };
  const first = await claim("slow", "8s");
  const { page, trouble } = await open(set.browser, set.hub, `/tasks/${id}`);
  await page.getByText(/held by slow/).waitFor();
  await page.getByText("its lease has run out").or(page.getByText("since then")).first().waitFor();
  const second = await claim("quick", "5m");
  await page.getByText(/held by quick/).waitFor();

  await expect(set.hub.tq("complete", "--token", first.lease_token)).rejects.toThrow(/lease no longer held/);
  await page
    .getByText("from here whatever slow reports is refused: fence 1 < 2")
    .first()
    .waitFor({ state: "attached" });
  await page.getByText(/held by quick/).waitFor();
  await set.hub.tq("complete", "--token", second.lease_token);
  await page.getByText(/held by quick/).waitFor({ state: "detached" });
  expect(await statusOf(id)).toBe("completed");
  expect(trouble).toEqual([]);
  await page.context().close();
});
