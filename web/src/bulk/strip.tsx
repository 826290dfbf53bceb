// At the foot of every page: the operations on many tasks that were begun here,
// how far each has come, and the button that stops it.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { type Action, actions } from "../actions/actions";
import { describe } from "../api/problem";
import { sentence } from "../format/number";
import { sayFailure } from "../ui/toast";
import { type Begun, forget, useBegun } from "./kept";
import { Progress } from "./progress";
import styles from "./strip.module.css";
import { stop, useOperation } from "./wish";

export function Operations() {
  const begun = useBegun();
  if (begun.length === 0) return null;
  return (
    <aside className={styles.strip} aria-label="Operations on many tasks">
      <ul>
        {begun.map((each) => (
          <Operation key={each.id} begun={each} />
        ))}
      </ul>
    </aside>
  );
}

function Operation({ begun }: { begun: Begun }) {
  const client = useQueryClient();
  const { state, error } = useOperation(begun.id);
  const over = error !== null || (state !== undefined && state.state !== "running");
  useEffect(() => {
    if (over) void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "bulk" });
  }, [over, client]);
  const action = actions.find(({ name }) => name === begun.action);
  if (!action) return null;
  return (
    <li className={styles.operation}>
      <span className={styles.what}>
        {action.verb} all of <code>{begun.filter}</code>
      </span>
      {state && <Progress state={state} counted={begun.counted} done={action.done.toLowerCase()} />}
      <span className="quiet small">{remark(action, state, error)}</span>
      {over ? (
        <button onClick={() => forget(begun.id)}>Dismiss</button>
      ) : (
        <button onClick={() => void stop(begun.id).catch(sayFailure)}>Stop</button>
      )}
    </li>
  );
}

function remark(action: Action, state: ReturnType<typeof useOperation>["state"], error: unknown): string {
  if (error) return describe(error).title;
  switch (state?.state) {
    case "running":
      return "The hub does it: it goes on when you close this page.";
    case "ended":
      return "Stopped. What was done stays.";
    case "failed":
      return `${sentence(state.error?.detail ?? "it broke")}.`;
    case "done":
      return "Done.";
  }
  return `Asking how far it is: ${action.verb.toLowerCase()}.`;
}
