// Behind a proxy that serves the hub below a path of its own.
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, open } from "./browser";
import { type Hub, startHub } from "./hub";

let browser: Browser;
let hub: Hub;
let proxy: Server;

beforeAll(async () => {
  [browser, hub] = await Promise.all([launch(), startHub()]);
  proxy = below("/ops/tq", hub.url);
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
});

afterAll(async () => {
  await browser.close();
  proxy.closeAllConnections();
  proxy.close();
  await hub.end();
});

/** Takes the prefix away and passes all else on. */
function below(prefix: string, target: string): Server {
  return createServer((asked, answer) => {
    const path = asked.url ?? "/";
    if (!path.startsWith(`${prefix}/`)) {
      answer.writeHead(404).end();
      return;
    }
    const { method, headers } = asked;
    const passed = request(target + path.slice(prefix.length), { method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    answer.on("close", () => passed.destroy());
    asked.pipe(passed);
  });
}

test("every file, question and link stays below the prefix", async () => {
  const id = await hub.tq("enqueue", "--type", "report", "--payload", '{"a":1}');
  const { port } = proxy.address() as AddressInfo;
  const outer: Hub = { ...hub, url: `http://127.0.0.1:${port}/ops/tq` };
  const { page, trouble } = await open(browser, outer, `/tasks/${id}`);
  await page.getByRole("region", { name: "Payload" }).waitFor();
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await page.getByText("Pigeonholes").waitFor();
  expect(new URL(page.url()).pathname).toMatch(/^\/ops\/tq\/?$/);
  await page.getByText("live", { exact: true }).waitFor();
  expect(trouble).toEqual([]);
});
