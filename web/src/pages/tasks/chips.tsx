// How many tasks stand at each status, as ways to show only those.
import { useQuery } from "@tanstack/react-query";
import { stats } from "../../api/queries";
import type { Stats } from "../../api/shapes";
import { FilterError, parse, type Term, write } from "../../filter/parse";
import { number } from "../../format/number";
import { Glyph } from "../../status/glyph";
import { type Label, labels } from "../../status/status";
import styles from "./chips.module.css";

export function Chips({ filter, change }: { filter: string; change: (text: string) => void }) {
  const terms = readTerms(filter);
  const chosen = terms.find(({ key, not }) => key === "status" && !not)?.values ?? [];
  const others = terms.filter(({ key, not }) => key !== "status" || not);
  const { data } = useQuery(stats(scopeOf(others)));
  const counted = others.every(({ key, values, not }) => key in scope && values.length === 1 && !not);
  const toggle = (label: Label) => {
    const values = chosen.includes(label) ? chosen.filter((each) => each !== label) : [...chosen, label];
    change(write(values.length > 0 ? [{ key: "status", values }, ...others] : others));
  };
  return (
    <ul className={styles.chips} aria-label="Statuses">
      {labels.map((label) => (
        <li key={label}>
          <button className={styles.chip} aria-pressed={chosen.includes(label)} onClick={() => toggle(label)}>
            <Glyph of={label} />
            {label}
            {data && counted && <span className={styles.count}>{number(countOf(data.total, label))}</span>}
          </button>
        </li>
      ))}
    </ul>
  );
}

const scope: Record<string, true> = { queue: true, type: true, project: true };

function scopeOf(terms: readonly Term[]): Record<string, string> {
  const pairs = terms.filter(({ key, values, not }) => key in scope && values.length === 1 && !not);
  return Object.fromEntries(pairs.map(({ key, values }) => [key, values[0] ?? ""]));
}

/** Scheduled counts the retrying ones too; here each task counts once. */
function countOf(of: Stats, label: Label): number {
  return label === "scheduled" ? of.scheduled - of.retrying : of[label];
}

function readTerms(filter: string): Term[] {
  try {
    return parse(filter);
  } catch (error) {
    if (error instanceof FilterError) return [];
    throw error;
  }
}
