// The words of tq beside those that people bring along from other queues.
import { isLabel } from "../../status/status";
import { Status } from "../../status/glyph";
import styles from "./glossary.module.css";

interface Word {
  word: string;
  means: string;
  pigeonhole?: string;
  goTaskqueue?: string;
  postgres?: string;
}

export const words: readonly Word[] = [
  {
    word: "task",
    means: "one unit of work: type, payload, queue and when",
    pigeonhole: "task",
    goTaskqueue: "task",
    postgres: "job",
  },
  { word: "queue", means: "a named line of tasks", pigeonhole: "channel", goTaskqueue: "project", postgres: "queue" },
  { word: "project", means: "the repository or tenant that a task belongs to: a label", goTaskqueue: "project" },
  { word: "type", means: "who runs it: sh, http, agent, or a name of your own", goTaskqueue: "type", postgres: "type" },
  { word: "key", means: "a repeat with it is the same task", pigeonhole: "idempotency_key", goTaskqueue: "dedupKey" },
  {
    word: "lease",
    means: "the right to settle a task, for a while",
    pigeonhole: "lease",
    goTaskqueue: "leaseOwner, leaseExpires",
    postgres: "locked_by, locked_until",
  },
  {
    word: "attempt",
    means: "one claim, counted within the budget",
    pigeonhole: "attempt",
    goTaskqueue: "attempts",
    postgres: "attempts",
  },
  { word: "epoch", means: "counts all claims of a life, never falls: the fence" },
  {
    word: "not before",
    means: "run_at: the moment from which it is ready",
    pigeonhole: "delay_seconds",
    goTaskqueue: "notBefore",
    postgres: "run_at",
  },
  {
    word: "ready",
    means: "pending, and its time has come",
    pigeonhole: "pending",
    goTaskqueue: "pending",
    postgres: "pending",
  },
  {
    word: "scheduled",
    means: "pending, its time is still ahead",
    pigeonhole: "pending",
    goTaskqueue: "pending",
    postgres: "pending",
  },
  {
    word: "retrying",
    means: "scheduled, with an attempt behind it",
    pigeonhole: "pending",
    goTaskqueue: "pending",
    postgres: "failed",
  },
  { word: "blocked", means: "waits for other tasks", goTaskqueue: "pending, with deps" },
  {
    word: "running",
    means: "somebody holds its lease",
    pigeonhole: "claimed",
    goTaskqueue: "running",
    postgres: "running",
  },
  {
    word: "completed",
    means: "done, with its result",
    pigeonhole: "done",
    goTaskqueue: "completed",
    postgres: "completed",
  },
  {
    word: "dead",
    means: "out of attempts or given up; kept until rescued or deleted",
    pigeonhole: "dead",
    goTaskqueue: "dead",
    postgres: "dead",
  },
  { word: "cancelled", means: "nobody wants it any more", goTaskqueue: "cancelled", postgres: "(deleted)" },
  {
    word: "claim",
    means: "take the next task under a lease",
    pigeonhole: "claim",
    goTaskqueue: "(its workers poll)",
    postgres: "(its workers poll)",
  },
  {
    word: "rescue",
    means: "bring a dead or cancelled task back, with a fresh budget",
    goTaskqueue: "dlq --rescue",
    postgres: "requeue",
  },
  { word: "run now", means: "requeue: a task no longer waits for its time", postgres: "requeue" },
  { word: "release", means: "give a task back without burning the attempt", goTaskqueue: "preflight, parked" },
  { word: "fact", means: "one line of the journal: what happened to a task, when, by whom", goTaskqueue: "fact" },
  {
    word: "hub",
    means: "tq serve: HTTP, MCP and this page over one store",
    pigeonhole: "server",
    goTaskqueue: "serve, api",
    postgres: "API server",
  },
];

export function Glossary() {
  return (
    <table className={styles.words}>
      <thead>
        <tr>
          <th scope="col">in tq</th>
          <th scope="col">means</th>
          <th scope="col">Pigeonhole</th>
          <th scope="col">go-taskqueue</th>
          <th scope="col">Postgres queue, /v1/jobs</th>
        </tr>
      </thead>
      <tbody>
        {words.map(({ word, means, pigeonhole, goTaskqueue, postgres }) => (
          <tr key={word}>
            <th scope="row">{isLabel(word) ? <Status of={word} /> : word}</th>
            <td className={styles.means}>{means}</td>
            <td data-name="Pigeonhole">{pigeonhole ?? "–"}</td>
            <td data-name="go-taskqueue">{goTaskqueue ?? "–"}</td>
            <td data-name="Postgres queue">{postgres ?? "–"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
