// The life of a task, drawn: a lane for each attempt. Whoever cannot see the
// picture has the same in the facts below it, and in one sentence here.
import type { Fact } from "../../api/shapes";
import { count } from "../../format/number";
import { clock, duration } from "../../format/time";
import { useNow } from "../../live/tick";
import { usePrefs } from "../../prefs";
import { isEnded } from "../../status/status";
import { type Lane, lanes, type Mark, type Stretch } from "./segments";
import styles from "./timeline.module.css";

const shown = 40; // lanes, the newest

export function Timeline({ facts }: { facts: readonly Fact[] }) {
  const now = useNow();
  const { utc } = usePrefs();
  const all = lanes(facts, now);
  const seen = all.slice(-shown);
  const first = seen[0]?.stretches[0]?.x ?? 0;
  if (all.length === 0) return <p className="quiet">Nothing is known of this task's life: its facts are gone.</p>;
  return (
    <>
      <p className="unseen">{inWords(all)}</p>
      {all.length > shown && <p className="quiet small">The first {all.length - shown} attempts are left out.</p>}
      <div className={styles.timeline} aria-hidden="true">
        {seen.map((lane, i) => (
          // oxlint-disable-next-line react/no-array-index-key -- lanes only ever come behind
          <LaneRow key={i} lane={lane} from={first} last={i === seen.length - 1} facts={facts} utc={utc} />
        ))}
      </div>
      <Legend lanes={seen} />
    </>
  );
}

interface LaneRowProps {
  lane: Lane;
  from: number; // the share that the first lane shown begins at
  last: boolean;
  facts: readonly Fact[];
  utc: boolean;
}

function LaneRow({ lane, from, last, facts, utc }: LaneRowProps) {
  const scale = (x: number) => `${((x - from) / (1 - from)) * 100}%`;
  const size = (width: number) => `${(width / (1 - from)) * 100}%`;
  const end = facts.at(-1);
  const finish = last && end?.status && isEnded(end.status) ? end.status : undefined;
  const marks = lane.stretches.flatMap((stretch) => stretch.marks);
  return (
    <div className={styles.lane}>
      <span className={styles.name}>{lane.name}</span>
      <div className={styles.track}>
        {lane.stretches.map((stretch) => (
          <i
            key={stretch.x}
            className={styles.stretch}
            data-label={stretch.label}
            data-ended={stretch.ended}
            data-open={stretch.open || undefined}
            data-squeezed={stretch.squeezed || undefined}
            style={{ left: scale(stretch.x), width: size(stretch.width) }}
            title={describe(stretch, utc)}
          />
        ))}
        {marks.map((mark) => (
          <MarkOn key={`${mark.kind}${mark.x}`} mark={mark} left={scale(mark.x)} />
        ))}
        {finish && (
          <b className={styles.finish} data-status={finish} style={{ left: scale(endOf(lane)) }} title={finish} />
        )}
      </div>
      <span className={styles.length}>{lengthOf(lane)}</span>
    </div>
  );
}

function MarkOn({ mark, left }: { mark: Mark; left: string }) {
  return <u className={styles.mark} data-kind={mark.kind} style={{ left }} title={mark.text} />;
}

function endOf({ stretches }: Lane): number {
  const last = stretches.at(-1);
  return last ? last.x + last.width : 0;
}

function lengthOf({ stretches }: Lane): string {
  const ran = stretches.find(({ label }) => label === "running") ?? stretches.at(-1);
  return ran ? duration((ran.to - ran.from) / 1000) : "";
}

function describe({ label, from, to, by, ended, open }: Stretch, utc: boolean): string {
  const how = { lost: ", its lease ran out", failed: ", failed", released: ", given back" };
  const who = by ? ` by ${by}` : "";
  const when = `${clock(from, to, utc)} to ${open ? "now" : clock(to, to, utc)}`;
  return `${label}${who} for ${duration((to - from) / 1000)}${ended ? how[ended] : ""} (${when})`;
}

function inWords(all: readonly Lane[]): string {
  const ran = all.flatMap((lane) => lane.stretches).filter(({ label }) => label === "running");
  const lost = ran.filter(({ ended }) => ended === "lost").length;
  const words = [`${count(ran.length, "attempt")} so far.`];
  if (lost > 0) words.push(`${count(lost, "lease")} ran out.`);
  for (const mark of all.flatMap((lane) => lane.stretches).flatMap(({ marks }) => marks)) {
    if (mark.kind === "fence" || mark.kind === "late") words.push(`${mark.text}.`);
  }
  return words.join(" ");
}

/** Only what is in the picture, and the remarkable in words. */
function Legend({ lanes: all }: { lanes: readonly Lane[] }) {
  const stretches = all.flatMap((lane) => lane.stretches);
  const seen = [...new Set(stretches.map(({ label }) => label))];
  const remarks = stretches
    .flatMap(({ marks }) => marks)
    .filter(({ kind }) => kind === "fence" || kind === "late" || kind === "cancel");
  return (
    <div className={styles.legend} aria-hidden="true">
      {seen.map((label) => (
        <span key={label}>
          <i className={styles.sample} data-label={label} /> {label}
        </span>
      ))}
      {stretches.some(({ squeezed }) => squeezed) && <span>{"//"} was longer than drawn</span>}
      {remarks.map((mark) => (
        <span key={mark.text} className={styles.remark}>
          <u className={styles.markSample} data-kind={mark.kind} /> {mark.text}
        </span>
      ))}
    </div>
  );
}
