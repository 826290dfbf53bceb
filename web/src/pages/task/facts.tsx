// The facts of a task as they stand in the journal.
import type { Fact } from "../../api/shapes";
import { duration } from "../../format/time";
import { Glyph } from "../../status/glyph";
import { labelOfFact } from "../../status/status";
import { Clock } from "../../ui/when";
import { TaskLink } from "./summary";
import styles from "./facts.module.css";

const shown = 500;

export function Facts({ facts }: { facts: readonly Fact[] }) {
  const skipped = Math.max(0, facts.length - shown);
  return (
    <>
      {skipped > 0 && <p className="quiet small">The first {skipped} facts are left out; tq facts shows all.</p>}
      {/* It scrolls sideways where the page is narrow: keys have to reach it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- see above */}
      <div className={styles.scroll} role="group" aria-label="Facts" tabIndex={0}>
        <table className={styles.facts}>
          <thead>
            <tr>
              <th scope="col">when</th>
              <th scope="col">what</th>
              <th scope="col">attempt</th>
              <th scope="col">epoch</th>
              <th scope="col">by</th>
              <th scope="col">detail</th>
            </tr>
          </thead>
          <tbody>
            {facts.slice(skipped).map((fact) => (
              <tr key={fact.seq}>
                <td className="mono">
                  <Clock at={fact.at} />
                </td>
                <td className={styles.what}>
                  <Glyph of={labelOfFact(fact)} /> {fact.kind.replace(/^task\./, "")}
                </td>
                <td>{fact.attempt}</td>
                <td>{fact.epoch}</td>
                <td>{fact.actor}</td>
                <td className={styles.detail}>
                  <Detail fact={fact} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Detail({ fact }: { fact: Fact }) {
  const { detail = {} } = fact;
  const at = Date.parse(fact.at);
  const until = detail.until && `lease ${duration((Date.parse(detail.until) - at) / 1000)}`;
  const again = detail.run_at && `ready in ${duration((Date.parse(detail.run_at) - at) / 1000)}`;
  const share = detail.fraction !== undefined && `${Math.round(detail.fraction * 100)} %`;
  const words = [
    until,
    again,
    share,
    detail.note,
    detail.reason,
    detail.late && "late",
    detail.force && "by force",
    detail.error,
  ];
  return (
    <>
      {words.filter(Boolean).join(" · ")}
      {detail.cause && (
        <>
          {" "}
          because of <TaskLink id={detail.cause} />
        </>
      )}
    </>
  );
}
