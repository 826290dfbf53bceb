import { expect, test } from "vitest";
import type { Fact } from "../api/shapes";
import { type Journal, merge } from "./journal";

const empty: Journal = { facts: [], full: false };
const facts = (...seqs: number[]): Fact[] =>
  seqs.map((seq) => ({ seq, kind: "task.enqueued", epoch: 0, attempt: 0, at: "2026-11-29T16:00:00Z" }));
const seqs = (of: readonly Fact[]) => of.map(({ seq }) => seq);

test("facts stand newest first, however they come", () => {
  const { journal, fresh } = merge(merge(empty, facts(5, 6), 10).journal, facts(3, 7, 4, 5), 10);
  expect(seqs(journal.facts)).toEqual([7, 6, 5, 4, 3]);
  expect(seqs(fresh)).toEqual([3, 4, 7]);
});

test("a gap between two streams is filled from behind", () => {
  const live = merge(merge(empty, facts(1, 2), 10).journal, facts(6), 10).journal;
  expect(seqs(merge(live, facts(1, 2, 3, 4, 5, 6), 10).journal.facts)).toEqual([6, 5, 4, 3, 2, 1]);
});

test("what was let go does not come back as news", () => {
  const { journal } = merge(empty, facts(1, 2, 3, 4), 2);
  const again = merge(journal, facts(1, 2), 2);
  expect(again.fresh).toEqual([]);
  expect(seqs(again.journal.facts)).toEqual([4, 3]);
});

test("after any sequence of batches each fact stands once, in order", () => {
  let seed = 11;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let round = 0; round < 200; round++) {
    let journal = empty;
    const told: number[] = [];
    for (let batch = 0; batch < 10; batch++) {
      const step = merge(journal, facts(...Array.from({ length: random(6) }, () => 1 + random(40))), 15);
      journal = step.journal;
      told.push(...seqs(step.fresh));
    }
    const kept = seqs(journal.facts);
    expect(kept).toEqual([...new Set(kept)].toSorted((a, b) => b - a));
    expect(new Set(told).size).toBe(told.length);
  }
});
