import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { FilterError, parse, seconds, type Term, write } from "./parse";

interface Vector {
  filter: string;
  terms?: Term[];
  error?: string;
}

const vectors = JSON.parse(
  readFileSync(new URL("../../../testdata/filter-vectors.json", import.meta.url), "utf8"),
) as Vector[];

describe("the shared vectors", () => {
  test.each(vectors)("$filter", ({ filter, terms, error }) => {
    if (error === undefined) {
      expect(parse(filter)).toEqual(terms);
      return;
    }
    expect(() => parse(filter)).toThrow(new FilterError(error));
  });
});

test("what is written again means the same", () => {
  for (const { filter, terms } of vectors) {
    if (terms) expect(parse(write(terms)), filter).toEqual(terms);
  }
});

test("durations count in seconds", () => {
  expect([seconds("90s"), seconds("1.5m"), seconds("2h"), seconds("3d"), seconds("4w")]).toEqual([
    90,
    90,
    7200,
    259_200,
    undefined,
  ]);
});

test("no text makes the parser fall over", () => {
  const alphabet = ['"', "\\", ":", ",", "-", " ", "a", ">", "status", "é", "\u0000"];
  let seed = 7;
  const next = () => (seed = (seed * 48_271) % 2_147_483_647);
  for (let i = 0; i < 5000; i++) {
    const text = Array.from({ length: next() % 12 }, () => alphabet[next() % alphabet.length]).join("");
    try {
      const terms = parse(text);
      expect(parse(write(terms))).toEqual(terms);
    } catch (error) {
      expect(error, text).toBeInstanceOf(FilterError);
    }
  }
});
