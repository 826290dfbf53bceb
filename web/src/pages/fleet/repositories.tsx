// The repositories of the agent pool: backlog, in flight, how the gate judged
// last, and why nothing goes on.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { repos } from "../../api/queries";
import type { Repo } from "../../api/shapes";
import { Glyph } from "../../status/glyph";
import { Section } from "../../ui/section";
import { Ago } from "../../ui/when";
import { backlogWords, endedWords, flightWords } from "./repos";
import styles from "./repositories.module.css";

/** Nothing at all where no pool has ever harvested. */
export function Repositories() {
  const all = useQuery(repos).data ?? [];
  if (all.length === 0) return null;
  return (
    <Section title="Repositories" note="as their newest tasks tell; tq agent-pool --status looks into the folders">
      <table className={styles.repos}>
        <thead>
          <tr>
            <th scope="col">repository</th>
            <th scope="col">backlog</th>
            <th scope="col">in flight</th>
            <th scope="col">ended</th>
            <th scope="col">last verify</th>
          </tr>
        </thead>
        <tbody>
          {all.map((repo) => (
            <OneRepo key={repo.project} repo={repo} />
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function OneRepo({ repo }: { repo: Repo }) {
  return (
    <tr>
      <th scope="row" className={styles.who}>
        <Link to="/tasks" search={{ q: `project:${repo.project}` }}>
          {repo.project}
        </Link>
        {repo.dir && <span className={`mono ${styles.note}`}>{repo.dir}</span>}
        {repo.held && <span className={styles.held}>{repo.held}</span>}
      </th>
      <td>{backlogWords(repo)}</td>
      <td>{flightWords(repo)}</td>
      <td>{endedWords(repo)}</td>
      <td>
        <Verify last={repo.last_verify} />
      </td>
    </tr>
  );
}

function Verify({ last }: { last: Repo["last_verify"] }) {
  if (!last) return <span className="quiet">none yet</span>;
  return (
    <>
      <Glyph of={last.passed ? "completed" : "dead"} />{" "}
      <Link to="/tasks/$id" params={{ id: String(last.task_id) }}>
        {last.passed ? "passed" : "failed"}
      </Link>{" "}
      <span className="quiet">
        <Ago at={last.at} />
      </span>
      {last.detail && <span className={styles.note}>{last.detail}</span>}
    </>
  );
}
