// The types that the pages are checked with are those of the hub that serves them.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import openapiTS, { astToString } from "openapi-typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Hub, startHub } from "./hub";

let hub: Hub;
beforeAll(async () => {
  hub = await startHub();
});
afterAll(() => hub.end());

const file = join(import.meta.dirname, "../src/api/schema.d.ts");
const head = "// Written by `make web-schema` out of the served /openapi.json. Not edited by hand.\n";

test("src/api/schema.d.ts is written out of the served document", async () => {
  const answer = await fetch(`${hub.url}/openapi.json`, { headers: { Authorization: `Bearer ${hub.token}` } });
  const served = head + astToString(await openapiTS((await answer.json()) as object as never));
  if (process.env["TQ_WRITE_SCHEMA"]) await writeFile(file, served);
  expect(await readFile(file, "utf8"), "out of date: make web-schema").toBe(served);
});
