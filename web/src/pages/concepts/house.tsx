// How tq is built: many doors, one set of rules, one seam to what is on disk.
import styles from "./house.module.css";

const storeys = [
  {
    name: "Who asks",
    rooms: ["tq on a terminal", "services in any language", "agents", "this page", "your Go program"],
  },
  {
    name: "Doors",
    rooms: ["command line", "HTTP /v1", "MCP", "dashboard", "Go library"],
    note: "Thin: each loops over one table of operations, so that what one can do all can.",
  },
  {
    name: "Rules",
    rooms: ["one state machine, without a clock", "rights", "limits", "waiting room", "sweep"],
    note: "Every change of a status is decided here, once.",
  },
  {
    name: "Stores",
    rooms: ["SQLite, one file", "PostgreSQL 14 and later"],
    note: "They find rows and swap them: if this lease still holds, write what was decided and the fact of it, in one transaction.",
  },
] as const;

export function House() {
  return (
    <div className={styles.house}>
      {storeys.map((storey) => (
        <section key={storey.name} className={styles.storey} aria-label={storey.name}>
          <h3>{storey.name}</h3>
          <ul className={styles.rooms}>
            {storey.rooms.map((room) => (
              <li key={room}>{room}</li>
            ))}
          </ul>
          {"note" in storey && <p className={styles.note}>{storey.note}</p>}
        </section>
      ))}
      <p className={styles.prose}>
        Workers stand outside and come in by the same doors. They run shell commands, HTTP calls and agents, each under
        a lease with heartbeats; what a worker loses, another one finishes. Nothing polls on a beat: who waits sleeps
        until something is due or something happens.
      </p>
    </div>
  );
}
