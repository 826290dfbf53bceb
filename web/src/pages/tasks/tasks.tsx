// The list: a filter, how many of each status, the tasks, one of them opened beside.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import type { Task } from "../../api/shapes";
import { useTitle } from "../../app/title";
import { Failure } from "../../ui/notice";
import { BulkBar } from "./bulk";
import { Chips } from "./chips";
import { FilterBox, readFilter } from "./filter";
import { List } from "./list";
import { Panel } from "./panel";
import styles from "./tasks.module.css";
import { useTaskList } from "./use-list";
import { WholeBar } from "./whole";

export function Tasks() {
  useTitle("Tasks");
  const { q = "", open } = useSearch({ from: "/tasks" });
  const navigate = useNavigate({ from: "/tasks" });
  const { terms, error } = useMemo(() => readFilter(q), [q]);
  const list = useTaskList(terms, q);
  const [some, setSome] = useState<ReadonlyMap<number, Task>>(new Map());
  const [whole, setWhole] = useState(false); // all that fit the filter, loaded or not
  const loaded = useMemo(() => byId(list.tasks), [list.tasks]);
  const marked = whole ? loaded : some;
  const setMarked = useCallback((tasks: ReadonlyMap<number, Task>) => {
    setWhole(false);
    setSome(tasks);
  }, []);

  const setFilter = useCallback(
    (text: string) => {
      setMarked(new Map());
      void navigate({ search: { q: text || undefined }, replace: true });
    },
    [navigate, setMarked],
  );
  const setOpen = useCallback(
    (id: number | undefined) => void navigate({ search: (before) => ({ ...before, open: id }), replace: true }),
    [navigate],
  );

  return (
    <>
      <h1 className="unseen">Tasks</h1>
      <FilterBox value={q} change={setFilter} error={error} />
      <Chips filter={q} change={setFilter} />
      {list.error && <Failure error={list.error} retry={list.refresh} />}
      <div className={styles.split} data-open={open !== undefined || undefined}>
        <div className={styles.left}>
          <List list={list} filter={q} open={open} setOpen={setOpen} marked={marked} setMarked={setMarked} />
          {whole ? (
            <WholeBar filter={q} leave={() => setMarked(new Map())} />
          ) : (
            <BulkBar
              marked={marked}
              loaded={loaded}
              setMarked={setMarked}
              markWhole={q ? () => setWhole(true) : undefined}
            />
          )}
        </div>
        {open !== undefined && <Panel id={open} close={() => setOpen(undefined)} />}
      </div>
    </>
  );
}

function byId(tasks: readonly Task[]): ReadonlyMap<number, Task> {
  return new Map(tasks.map((task) => [task.id, task]));
}
