// A grid of as many tasks as there are, with only the visible rows in the page.
import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { type Command as Key, useCommands } from "../../app/commands";
import type { Task } from "../../api/shapes";
import { count, number } from "../../format/number";
import { Empty, FirstSteps, Loading } from "../../ui/notice";
import { useLatest } from "../../ui/latest";
import { useMedia } from "../../ui/media";
import styles from "./list.module.css";
import { Row, columns } from "./row";
import type { TaskList } from "./use-list";

export interface ListProps {
  list: TaskList;
  filter: string;
  open: number | undefined;
  setOpen: (id: number | undefined) => void;
  marked: ReadonlyMap<number, Task>;
  setMarked: (marked: ReadonlyMap<number, Task>) => void;
}

export function List(props: ListProps) {
  const { list, filter } = props;
  if (list.loading) return <Loading what="tasks" lines={12} />;
  if (list.tasks.length === 0) return <NoTasks list={list} filter={filter} />;
  return (
    <>
      <div className={styles.above}>
        {list.fresh > 0 && (
          <button className={styles.fresh} onClick={list.refresh}>
            Show {number(list.fresh)} new
          </button>
        )}
        {list.searched > 0 && (
          <span className="quiet small">Looked through the newest {count(list.searched, "task")}.</span>
        )}
      </div>
      <Grid {...props} />
    </>
  );
}

function NoTasks({ list, filter }: { list: TaskList; filter: string }) {
  if (!filter) {
    return (
      <Empty title="There is no task yet.">
        <FirstSteps />
      </Empty>
    );
  }
  const looked = list.searched > 0 ? ` among the newest ${count(list.searched, "task")}` : "";
  return (
    <Empty title={`No task fits this filter${looked}.`}>
      {list.hasMore && <button onClick={list.more}>Look further back</button>}
      {list.fresh > 0 && <button onClick={list.refresh}>Show {number(list.fresh)} new</button>}
      <Link to="/tasks">Show all tasks</Link>
    </Empty>
  );
}

function Grid({ list, open, setOpen, marked, setMarked }: ListProps) {
  const { tasks, hasMore, more } = list;
  const [at, setAt] = useState(0);
  const place = useRef<HTMLDivElement>(null);
  const narrow = useMedia("(max-width: 760px)");
  const height = useRowHeight(narrow);
  const rows = useVirtualizer({
    count: tasks.length,
    getScrollElement: () => place.current,
    estimateSize: () => height,
    overscan: 12,
    paddingStart: narrow ? 0 : height,
    scrollPaddingStart: narrow ? 0 : height,
  });
  useEffect(() => rows.measure(), [rows, height]);
  const seen = rows.getVirtualItems();
  const last = seen.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last >= tasks.length - 50) more();
  }, [hasMore, last, tasks.length, more]);

  const chosen = Math.min(at, tasks.length - 1);
  const go = (to: number) => {
    const next = Math.max(0, Math.min(tasks.length - 1, to));
    setAt(next);
    rows.scrollToIndex(next);
    if (open !== undefined) setOpen(tasks[next]?.id);
    return next;
  };
  const mark = (index: number, on?: boolean) => setMarked(toggled(marked, tasks[index], on));
  const moves: Moves = {
    at: chosen,
    go,
    mark,
    open: () => setOpen(tasks[chosen]?.id),
    close: () => setOpen(undefined),
    page: Math.max(1, seen.length - 14),
  };
  useListKeys(moves);
  return (
    <div
      ref={place}
      className={styles.grid}
      data-narrow={narrow || undefined}
      role="grid"
      aria-label="Tasks"
      aria-rowcount={hasMore ? -1 : tasks.length + 1}
      aria-multiselectable="true"
      aria-activedescendant={tasks[chosen] && `task-${tasks[chosen].id}`}
      tabIndex={0}
      onKeyDown={(event) => onGridKey(event, moves, tasks.length)}
    >
      <div className={styles.inside} style={{ height: rows.getTotalSize() }} role="rowgroup">
        <div className={`${styles.row} ${styles.heads}`} role="row" aria-rowindex={1}>
          {columns.map((name) => (
            <span key={name} role="columnheader" className={styles[name]}>
              {name === "mark" ? <span className="unseen">marked</span> : name}
            </span>
          ))}
        </div>
        {seen.map(({ index, start }) => {
          const task = tasks[index];
          return (
            task && (
              <Row
                key={task.id}
                task={task}
                index={index}
                top={start}
                height={height}
                chosen={index === chosen}
                opened={task.id === open}
                marked={marked.has(task.id)}
                choose={() => {
                  setAt(index);
                  setOpen(task.id);
                }}
                mark={(on) => mark(index, on)}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

interface Moves {
  at: number;
  go: (to: number) => number;
  mark: (index: number, on?: boolean) => void;
  open: () => void;
  close: () => void;
  page: number;
}

function onGridKey(event: KeyboardEvent, moves: Moves, length: number): void {
  if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey) return;
  const to = {
    ArrowDown: moves.at + 1,
    ArrowUp: moves.at - 1,
    PageDown: moves.at + moves.page,
    PageUp: moves.at - moves.page,
    Home: 0,
    End: length - 1,
  }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  moves.go(to);
}

function useListKeys({ at, go, mark, open, close }: Moves): void {
  const newest = useLatest({ at, go, mark, open, close });
  const keys = useMemo((): Key[] => {
    const now = () => newest.current;
    const extend = (step: number) => {
      now().mark(now().at, true);
      now().mark(now().go(now().at + step), true);
    };
    return [
      { keys: "j", what: "Next task", group: "This page", hidden: true, run: () => void now().go(now().at + 1) },
      { keys: "k", what: "Task before", group: "This page", hidden: true, run: () => void now().go(now().at - 1) },
      { keys: "x", what: "Mark or unmark", group: "This page", hidden: true, run: () => now().mark(now().at) },
      { keys: "Shift+j", what: "Mark downwards", group: "This page", hidden: true, run: () => extend(1) },
      { keys: "Shift+k", what: "Mark upwards", group: "This page", hidden: true, run: () => extend(-1) },
      { keys: "Enter", what: "Open beside the list", group: "This page", hidden: true, run: () => now().open() },
      {
        keys: "Escape",
        what: "Close what is beside the list",
        group: "This page",
        hidden: true,
        run: () => now().close(),
      },
    ];
  }, [newest]);
  useCommands(keys);
}

function toggled(marked: ReadonlyMap<number, Task>, task: Task | undefined, on?: boolean): ReadonlyMap<number, Task> {
  if (!task) return marked;
  const out = new Map(marked);
  if (on ?? !out.has(task.id)) out.set(task.id, task);
  else out.delete(task.id);
  return out;
}

/** Rows have the height of the theme's density; two lines on a narrow page. */
function useRowHeight(narrow: boolean): number {
  const compact = document.documentElement.dataset["density"] === "compact";
  if (narrow) return 60;
  return compact ? 26 : 32;
}
