// What the first page may weigh, and each page after it; bytes after gzip.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const dist = join(import.meta.dirname, "../dist");
const KB = 1000;

const size = (file: string) => {
  const text = readFileSync(join(dist, file));
  return file.endsWith(".woff2") ? text.length : gzipSync(text, { level: 9 }).length;
};
const sum = (files: readonly string[]) => files.reduce((total, file) => total + size(file), 0);

const page = readFileSync(join(dist, "index.html"), "utf8");
const first = [...page.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map((hit) => hit[1] ?? "");
const assets = readdirSync(join(dist, "assets")).map((name) => `assets/${name}`);
const later = assets.filter((file) => !first.includes(file));

test("the first page's scripts", () =>
  expect(sum(first.filter((file) => file.endsWith(".js")))).toBeLessThan(130 * KB));

test("the first page's styles", () => expect(sum(first.filter((file) => file.endsWith(".css")))).toBeLessThan(10 * KB));

test("the first page's faces", () =>
  expect(sum(first.filter((file) => file.endsWith(".woff2")))).toBeLessThan(56 * KB));

test.each(later.filter((file) => file.endsWith(".js")))("what comes later: %s", (file) => {
  expect(size(file)).toBeLessThan((/editor|workbench|code/i.test(file) ? 125 : 80) * KB);
});

test("all that is embedded", () => expect(sum(assets)).toBeLessThan(700 * KB));
