// Buttons for what can be done to some tasks, and the dialog that asks first.
import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { type Command as Key, useCommands } from "../app/commands";
import type { Task } from "../api/shapes";
import { count, number } from "../format/number";
import { Command } from "../ui/command";
import { Dialog } from "../ui/dialog";
import { type Action, commandLine, perform, possible } from "./actions";
import styles from "./buttons.module.css";

interface Choice {
  action: Action;
  tasks: Task[];
}

export function ActionButtons({ tasks, counted = false }: { tasks: readonly Task[]; counted?: boolean }) {
  const client = useQueryClient();
  const [asking, setAsking] = useState<Choice | undefined>();
  const choices = useMemo(() => possible(tasks), [tasks]);
  const keys = useMemo(
    () =>
      choices.map(({ action, tasks: fitting }): Key => {
        const run = () => setAsking({ action, tasks: fitting });
        return { keys: action.key, what: action.verb, group: "This page", run };
      }),
    [choices],
  );
  useCommands(keys);
  const choose = (choice: Choice) => {
    const plain = !choice.action.grave && choice.tasks.length === 1;
    if (plain)
      void perform(
        client,
        choice.action,
        choice.tasks.map((task) => task.id),
      );
    else setAsking(choice);
  };
  return (
    <>
      {choices.map((choice) => (
        <button key={choice.action.name} onClick={() => choose(choice)}>
          {choice.action.verb}
          {counted && ` ${number(choice.tasks.length)}`}
        </button>
      ))}
      <Confirm choice={asking} close={() => setAsking(undefined)} />
    </>
  );
}

const sample = 3;

function Confirm({ choice, close }: { choice: Choice | undefined; close: () => void }) {
  const client = useQueryClient();
  const [shown, setShown] = useState(choice);
  if (choice && choice !== shown) setShown(choice);
  if (!shown) return null;
  const { action, tasks } = shown;
  const ids = tasks.map((task) => task.id);
  const run = () => {
    close();
    void perform(client, action, ids);
  };
  return (
    <Dialog title={`${action.verb} ${count(ids.length, "task")}?`} open={choice !== undefined} close={close}>
      <p>{action.what}</p>
      <ul className={styles.sample}>
        {tasks.slice(0, sample).map((task) => (
          <li key={task.id}>
            <span className="mono">{task.id}</span> {task.type} in <span className="mono">{task.queue}</span>
          </li>
        ))}
        {ids.length > sample && <li className="quiet">and {number(ids.length - sample)} more</li>}
      </ul>
      <Command line={commandLine(action, ids.slice(0, 50)) + (ids.length > 50 ? " …" : "")} />
      <p className={styles.buttons}>
        <button className={styles.main} onClick={run} data-first={action.grave ? undefined : true}>
          {action.verb} {count(ids.length, "task")}
        </button>
        <button onClick={close} data-first={action.grave || undefined}>
          Leave {ids.length === 1 ? "it" : "them"} as {ids.length === 1 ? "it is" : "they are"}
        </button>
      </p>
    </Dialog>
  );
}
