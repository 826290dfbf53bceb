// The chosen task beside the list: enough to judge it, and the way to its page.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { explanation, task as taskQuery } from "../../api/queries";
import { ActionButtons } from "../../actions/buttons";
import { Duplicate } from "../../actions/duplicate";
import { Failure, Loading } from "../../ui/notice";
import { Summary } from "../task/summary";
import { Headline } from "../task/headline";
import { JsonBlock, TextBlock } from "../../ui/text-block";
import styles from "./panel.module.css";

export function Panel({ id, close }: { id: number; close: () => void }) {
  const { data: task, error } = useQuery(taskQuery(id));
  const why = useQuery(explanation(id)).data;
  return (
    <aside className={styles.panel} aria-label={`Task ${id}`}>
      <p className={styles.bar}>
        <Link to="/tasks/$id" params={{ id: String(id) }}>
          Open its page
        </Link>
        <button onClick={close}>Close</button>
      </p>
      {error && !task && <Failure error={error} />}
      {!task && !error && <Loading what={`task ${id}`} lines={8} />}
      {task && (
        <>
          <Headline task={task} why={why} small />
          <p className={styles.actions}>
            <ActionButtons tasks={[task]} />
            <Duplicate id={task.id} />
          </p>
          <Summary task={task} />
          {task.last_error && <TextBlock title="Last error" text={task.last_error} />}
          {task.raw.payload && <JsonBlock title="Payload" text={task.raw.payload} />}
          {task.raw.result && <JsonBlock title="Result" text={task.raw.result} />}
        </>
      )}
    </aside>
  );
}
