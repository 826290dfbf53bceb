import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Overview } from "../../api/shapes";
import { isEmpty, situation } from "./situation";

interface Vector {
  overview: Overview;
  sentence: string;
}
const file = join(import.meta.dirname, "../../../../testdata/situation-vectors.json");
const vectors = JSON.parse(readFileSync(file, "utf8")) as Vector[];

test.each(vectors)("$sentence", ({ overview, sentence }) => {
  expect(
    situation(overview)
      .map((part) => part.text)
      .join(""),
  ).toBe(sentence);
});

test("each number is a link to its tasks", () => {
  const trouble = vectors[0]?.overview as Overview;
  expect(situation(trouble).filter((part) => part.to)).toEqual([
    { text: "31 tasks", to: "/tasks", q: "status:ready" },
    { text: "2m 10s", to: "/tasks", q: "status:ready" },
    { text: "23 dead letters", to: "/dead", dead: true },
  ]);
});

test("a store that was never used is empty", () => {
  const quiet = vectors[0]?.overview as Overview;
  const workers = { busy: 0, idle: 0, lost: 0 };
  expect(isEmpty({ ...quiet, queues: [], workers })).toBe(true);
  expect(isEmpty({ ...quiet, queues: [], workers: { ...workers, lost: 1 } })).toBe(false);
});
