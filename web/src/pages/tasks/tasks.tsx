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

export function Tasks() {
  useTitle("Tasks");
  const { q = "", open } = useSearch({ from: "/tasks" });
  const navigate = useNavigate({ from: "/tasks" });
  const { plan, error } = useMemo(() => readFilter(q), [q]);
  const list = useTaskList(plan, q);
  const [marked, setMarked] = useState<ReadonlyMap<number, Task>>(new Map());

  const setFilter = useCallback(
    (text: string) => {
      setMarked(new Map());
      void navigate({ search: { q: text || undefined }, replace: true });
    },
    [navigate],
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
          <BulkBar marked={marked} loaded={list.tasks} setMarked={setMarked} />
        </div>
        {open !== undefined && <Panel id={open} close={() => setOpen(undefined)} />}
      </div>
    </>
  );
}
