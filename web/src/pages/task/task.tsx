// One task: what it is doing and why, its life drawn from its facts, what came
// in and what went out.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { ActionButtons } from "../../actions/buttons";
import { Duplicate } from "../../actions/duplicate";
import { explanation, factsOf, task as taskQuery } from "../../api/queries";
import { Problem } from "../../api/problem";
import { type Command as Key, useCommands } from "../../app/commands";
import { useTitle } from "../../app/title";
import { count } from "../../format/number";
import { copy } from "../../ui/copy";
import { Absent, Failure, Loading } from "../../ui/notice";
import { Section } from "../../ui/section";
import { JsonBlock, TextBlock } from "../../ui/text-block";
import { say } from "../../ui/toast";
import { Facts } from "./facts";
import { Family } from "./family";
import { Headline } from "./headline";
import { Summary } from "./summary";
import styles from "./task.module.css";
import { Timeline } from "./timeline";

export function TaskPage() {
  const { id: written } = useParams({ from: "/tasks/$id" });
  const id = Number(written);
  useTitle(`Task ${written}`);
  if (!Number.isSafeInteger(id) || id < 1) return <NoTask id={written} />;
  return <Known key={id} id={id} />;
}

function NoTask({ id }: { id: string }) {
  return (
    <Absent title={`There is no task ${id}.`} why="It may have been deleted, or you may not see its queue.">
      <Link to="/tasks">See what there is</Link>
    </Absent>
  );
}

/** The error that came last: to ask anew clears it, and the page would turn into one that loads, and back. */
function useLast(error: Error | null): Error | null {
  const [last, setLast] = useState(error);
  if (error && error !== last) setLast(error);
  return last;
}

function Known({ id }: { id: number }) {
  const { data: task, error: refused, refetch } = useQuery(taskQuery(id));
  const last = useLast(refused);
  const error = refused ?? (task ? null : last);
  const why = useQuery(explanation(id)).data;
  const facts = useQuery(factsOf(id)).data;
  useCommands(useTaskKeys(id));
  if (error instanceof Problem && error.status === 404) return <NoTask id={String(id)} />;
  if (error && !task) return <Failure error={error} retry={() => void refetch()} />;
  if (!task) return <Loading what={`task ${id}`} lines={20} />;
  return (
    <>
      <Headline task={task} why={why} />
      <p className={styles.actions}>
        <ActionButtons tasks={[task]} />
        <Duplicate id={task.id} />
      </p>
      <Section title="Timeline" note={facts && count(facts.length, "fact")}>
        {facts ? <Timeline facts={facts} /> : <Loading what="facts" />}
      </Section>
      <div className={styles.columns}>
        <div>
          {task.last_error && <TextBlock title="Last error" text={task.last_error} />}
          {task.raw.payload ? (
            <JsonBlock title="Payload" text={task.raw.payload} />
          ) : (
            <p className="quiet">This task has no payload.</p>
          )}
          {task.raw.result && <JsonBlock title="Result" text={task.raw.result} />}
        </div>
        <Summary task={task} />
      </div>
      <Family task={task} />
      <Section title="Facts" note="oldest first">
        {facts ? <Facts facts={facts} /> : <Loading what="facts" />}
      </Section>
    </>
  );
}

function useTaskKeys(id: number): readonly Key[] {
  const navigate = useNavigate();
  return useMemo(() => {
    const go = (to: number) => void navigate({ to: "/tasks/$id", params: { id: String(to) } });
    const copied = (what: string, text: string) => void copy(text).then(() => say(`Copied the ${what}.`));
    return [
      { keys: "[", what: "Task before this one", group: "This page", run: () => id > 1 && go(id - 1) },
      { keys: "]", what: "Task after this one", group: "This page", run: () => go(id + 1) },
      { keys: "y", what: "Copy the id", group: "This page", run: () => copied("id", String(id)) },
      { keys: "Shift+y", what: "Copy the link", group: "This page", run: () => copied("link", location.href) },
    ];
  }, [id, navigate]);
}
