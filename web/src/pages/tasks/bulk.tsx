// What can be done to the marked tasks, with the exact count on each button.
import { useMemo } from "react";
import { ActionButtons } from "../../actions/buttons";
import type { Task } from "../../api/shapes";
import { type Command as Key, useCommands } from "../../app/commands";
import { count, number } from "../../format/number";
import styles from "./bulk.module.css";

export interface BulkBarProps {
  marked: ReadonlyMap<number, Task>;
  loaded: readonly Task[];
  setMarked: (marked: ReadonlyMap<number, Task>) => void;
}

export function BulkBar({ marked, loaded, setMarked }: BulkBarProps) {
  const current = useMemo(() => newest(marked, loaded), [marked, loaded]);
  const keys = useMemo((): Key[] => {
    const all = () => setMarked(new Map(loaded.map((task) => [task.id, task])));
    return [{ keys: "Ctrl+a", what: "Mark all loaded tasks", group: "This page", run: all }];
  }, [loaded, setMarked]);
  useCommands(keys);
  if (loaded.length === 0) return null;
  return (
    <div className={styles.bar} role="group" aria-label="Marked tasks">
      {marked.size === 0 ? (
        <button onClick={() => setMarked(new Map(loaded.map((task) => [task.id, task])))}>
          Mark all {number(loaded.length)} loaded
        </button>
      ) : (
        <>
          <span className={styles.count}>{count(marked.size, "task")} marked</span>
          <ActionButtons tasks={current} counted />
          <button onClick={() => setMarked(new Map())}>Unmark</button>
        </>
      )}
    </div>
  );
}

/** The marked tasks as they are now. */
function newest(marked: ReadonlyMap<number, Task>, loaded: readonly Task[]): Task[] {
  const known = new Map(loaded.map((task) => [task.id, task]));
  return [...marked.values()].map((task) => known.get(task.id) ?? task);
}
