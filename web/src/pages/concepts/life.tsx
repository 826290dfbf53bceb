// The life of a task as it goes on in this hub now: how many stand where, which
// ways were gone in the last minute, and what each way means.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { overview } from "../../api/queries";
import type { Stats } from "../../api/shapes";
import { count, number } from "../../format/number";
import { useLive } from "../../live/store";
import { useNow } from "../../live/tick";
import { Glyph, Status } from "../../status/glyph";
import { isLabel, type Label } from "../../status/status";
import { Command } from "../../ui/command";
import { Terms } from "../../ui/terms";
import styles from "./life.module.css";
import { lately, type Place, type Transition, transitions } from "./transitions";

const spots: Record<Place, [number, number]> = {
  enqueue: [60, 190],
  blocked: [262, 66],
  pending: [262, 190],
  running: [522, 190],
  completed: [754, 62],
  dead: [754, 190],
  cancelled: [754, 310],
};

export function Life() {
  const [chosen, setChosen] = useState("claim");
  const total = useQuery(overview).data?.total;
  const { facts } = useLive();
  const now = useNow();
  const counts = lately(facts, now);
  const transition = transitions.find(({ id }) => id === chosen) ?? transitions[0];
  return (
    <div className={styles.life}>
      <Picture chosen={chosen} choose={setChosen} counts={counts} total={total} />
      <div className={styles.below}>
        <ul className={styles.ways} aria-label="Ways from status to status">
          {transitions.map((each) => (
            <li key={each.id}>
              <button aria-pressed={each.id === chosen} onClick={() => setChosen(each.id)} className={styles.way}>
                {each.name}
                {(counts.get(each.id) ?? 0) > 0 && (
                  <span className={styles.rate}>{number(counts.get(each.id) ?? 0)} in the last minute</span>
                )}
              </button>
            </li>
          ))}
        </ul>
        {transition && <Meaning of={transition} />}
      </div>
    </div>
  );
}

function Meaning({ of }: { of: Transition }) {
  return (
    <section className={styles.meaning} aria-live="polite" aria-label={of.name}>
      <h3>
        {of.name}: {of.from === "enqueue" ? "a new task" : <PlaceWord of={of.from} />} becomes <PlaceWord of={of.to} />
      </h3>
      <p className={styles.promise}>{of.promise}</p>
      <Terms
        rows={[
          ["by", of.by],
          ["its fact", <code key="fact">{of.fact}</code>],
          ["promised in", of.number],
          ["typed", of.line ? <Command key="line" line={of.line} /> : "never: it happens by itself"],
        ]}
      />
    </section>
  );
}

function PlaceWord({ of }: { of: Place }) {
  if (isLabel(of)) return <Status of={of} />;
  return <Status of="ready" />;
}

interface PictureProps {
  chosen: string;
  choose: (id: string) => void;
  counts: ReadonlyMap<string, number>;
  total?: Stats;
}

/** The same as the list below it, for the eye; whoever cannot see it loses nothing. */
function Picture({ chosen, choose, counts, total }: PictureProps) {
  return (
    <svg className={styles.picture} viewBox="0 0 840 400" aria-hidden="true">
      <defs>
        <marker
          id="tip"
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="7"
          markerHeight="7"
          orient="auto-start-reverse"
        >
          <path d="M0 0.5 7.5 4 0 7.5Z" fill="context-stroke" />
        </marker>
      </defs>
      {transitions.map((each) => (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the list below is for keys
        <g
          key={each.id}
          className={styles.edge}
          data-chosen={each.id === chosen || undefined}
          data-live={(counts.get(each.id) ?? 0) > 0 || undefined}
          onClick={() => choose(each.id)}
        >
          <path d={each.path} className={styles.reach} />
          <path d={each.path} className={styles.line} markerEnd="url(#tip)" />
          <text x={each.label[0]} y={each.label[1]} textAnchor="middle">
            {each.name}
          </text>
        </g>
      ))}
      {(Object.keys(spots) as Place[]).map((place) => (
        <Spot key={place} place={place} total={total} />
      ))}
    </svg>
  );
}

function Spot({ place, total }: { place: Place; total?: Stats }) {
  const [x, y] = spots[place];
  if (place === "enqueue") {
    return (
      <text x={x} y={y + 5} textAnchor="middle" className={styles.entry}>
        a new task
      </text>
    );
  }
  const label: Label = isLabel(place) ? place : "ready";
  return (
    <g transform={`translate(${x} ${y})`} className={styles.spot}>
      <rect x={-58} y={-24} width={116} height={48} />
      <svg x={-48} y={-16} width={14} height={14}>
        <Glyph of={label} />
      </svg>
      <text x={-28} y={-4} className={styles.word}>
        {place}
      </text>
      <text x={-28} y={14} className={styles.number}>
        {total ? words(place, total) : ""}
      </text>
    </g>
  );
}

function words(place: Exclude<Place, "enqueue">, total: Stats): string {
  if (place === "pending") return count(total.ready + total.scheduled, "task");
  return number(total[place]);
}
