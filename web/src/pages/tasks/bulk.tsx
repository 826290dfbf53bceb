// What can be done to the marked tasks, with the exact count on each button.
import { useMemo } from "react";
import { ActionButtons } from "../../actions/buttons";
import type { Task } from "../../api/shapes";
import { type Command as Key, useCommands } from "../../app/commands";
import { count, number } from "../../format/number";
import styles from "./bulk.module.css";

export interface BulkBarProps {
  marked: ReadonlyMap<number, Task>;
  loaded: ReadonlyMap<number, Task>;
  setMarked: (marked: ReadonlyMap<number, Task>) => void;
  markWhole?: () => void; // marks all that fit the filter; without a filter there is none
}

export function BulkBar({ marked, loaded, setMarked, markWhole }: BulkBarProps) {
  const current = useMemo(() => [...marked.values()].map((task) => loaded.get(task.id) ?? task), [marked, loaded]);
  const keys = useMemo((): Key[] => {
    const what = markWhole ? "Mark all that fit the filter" : "Mark all loaded tasks";
    return [{ keys: "Ctrl+a", what, group: "This page", run: markWhole ?? (() => setMarked(loaded)) }];
  }, [loaded, setMarked, markWhole]);
  useCommands(keys);
  if (loaded.size === 0) return null;
  return (
    <div className={styles.bar} role="group" aria-label="Marked tasks">
      {marked.size === 0 ? (
        <>
          <button onClick={() => setMarked(loaded)}>Mark all {number(loaded.size)} loaded</button>
          {markWhole && <button onClick={markWhole}>Mark all that fit the filter</button>}
        </>
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
