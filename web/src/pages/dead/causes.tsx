// Causes of death, a line each: what they have in common, how many, since when.
import { Link } from "@tanstack/react-router";
import type { ErrorGroup } from "../../api/shapes";
import { number } from "../../format/number";
import { visible } from "../../ui/text-block";
import { Ago } from "../../ui/when";
import styles from "./causes.module.css";
import { pieces } from "./rescue";

export function Causes({ groups }: { groups: readonly ErrorGroup[] }) {
  return (
    <table className={styles.causes}>
      <thead>
        <tr>
          <th scope="col">dead</th>
          <th scope="col">what they died of</th>
          <th scope="col">type</th>
          <th scope="col">queues</th>
          <th scope="col">first</th>
          <th scope="col">last</th>
        </tr>
      </thead>
      <tbody>
        {groups.map((group) => (
          <tr key={group.fingerprint}>
            <td className={styles.count}>{number(group.dead)}</td>
            <th scope="row" className={styles.title}>
              <Link to="/dead/$fingerprint" params={{ fingerprint: group.fingerprint }}>
                <Title text={group.title} />
              </Link>
            </th>
            <td className={styles.type}>{group.type}</td>
            <td className={`mono ${styles.queues}`}>{group.queues.join(", ")}</td>
            <td className={styles.first}>
              <Ago at={group.first_at} />
            </td>
            <td className={styles.last}>
              <Ago at={group.last_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What differs from one error to the next stands underlined. */
export function Title({ text }: { text: string }) {
  if (text === "") return <>no error was given</>;
  return pieces(text).map(({ text: piece, varies }, at) =>
    varies ? (
      // oxlint-disable-next-line react/no-array-index-key -- the text never changes in place
      <i key={at} className={styles.varies}>
        {piece.slice(1, -1)}
      </i>
    ) : (
      visible(piece)
    ),
  );
}
