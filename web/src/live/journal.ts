// The newest part of the journal, as a page keeps it.
import type { Fact } from "../api/shapes";

export interface Journal {
  facts: readonly Fact[]; // newest first, each once
  full: boolean; // older ones were let go
}

/** Takes facts in, in whatever order and however often they come; fresh are those not yet known, oldest first. */
export function merge(journal: Journal, facts: readonly Fact[], limit: number): { journal: Journal; fresh: Fact[] } {
  const known = new Set(journal.facts.map((fact) => fact.seq));
  const floor = journal.full ? (journal.facts.at(-1)?.seq ?? 0) : 0;
  const fresh: Fact[] = [];
  for (const fact of facts) {
    if (known.has(fact.seq) || fact.seq < floor) continue;
    known.add(fact.seq);
    fresh.push(fact);
  }
  if (fresh.length === 0) return { journal, fresh };
  fresh.sort((a, b) => a.seq - b.seq);
  const all = [...journal.facts, ...fresh].toSorted((a, b) => b.seq - a.seq);
  return { journal: { facts: all.slice(0, limit), full: journal.full || all.length > limit }, fresh };
}
