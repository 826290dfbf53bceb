// The tasks of a filter, page by page. Facts change the rows where they stand;
// new tasks wait until somebody asks for them, so that nothing moves under the
// pointer.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { tasks } from "../../api/queries";
import type { Fact, Task } from "../../api/shapes";
import type { Term } from "../../filter/parse";
import { type Patch, patchOf } from "../../live/patch";
import { onNews } from "../../live/store";

export interface TaskList {
  tasks: readonly Task[];
  loading: boolean;
  error: unknown;
  searched: number; // tasks that were looked at, when the search was cut short
  fresh: number; // new tasks that are not shown yet
  hasMore: boolean;
  more: () => void;
  refresh: () => void;
}

const fewest = 50; // rows to fill before a search stops by itself
const searchBound = 20; // pages that one search asks for by itself

/** The list of a filter; without terms there is none, because the filter is wrong. */
export function useTaskList(terms: readonly Term[] | undefined, filter: string): TaskList {
  const paged = useInfiniteQuery({ ...tasks({ filter }), enabled: terms !== undefined });
  const { patches, fresh, reset } = usePatches(filter, terms);
  const pages = paged.data?.pages;
  const all = useMemo(() => pages?.flatMap((page) => page.tasks) ?? [], [pages]);
  const rows = useMemo(() => all.map((task) => patched(task, patches.get(task.id))), [all, patches]);

  const { hasNextPage, isFetching, fetchNextPage } = paged;
  const searching = all.length < fewest && (pages?.length ?? 0) < searchBound;
  useEffect(() => {
    if (searching && hasNextPage && !isFetching) void fetchNextPage();
  }, [searching, hasNextPage, isFetching, fetchNextPage]);
  const refresh = () => {
    reset();
    void paged.refetch();
  };
  return {
    tasks: rows,
    loading: paged.isLoading,
    error: paged.error,
    searched: pages?.reduce((sum, page) => sum + (page.searched ?? 0), 0) ?? 0,
    fresh,
    hasMore: hasNextPage,
    more: () => void (!isFetching && fetchNextPage()),
    refresh,
  };
}

function patched(task: Task, patch: Patch | undefined): Task {
  return patch ? { ...task, ...patch } : task;
}

/** What facts have changed since the list was asked for. */
function usePatches(filter: string, terms: readonly Term[] | undefined) {
  const [patches, setPatches] = useState<ReadonlyMap<number, Patch>>(new Map());
  const [fresh, setFresh] = useState(0);
  const reset = () => {
    setPatches(new Map());
    setFresh(0);
  };
  const [shown, setShown] = useState(filter);
  if (shown !== filter) {
    setShown(filter);
    reset();
  }
  useEffect(() => {
    const hear = (facts: readonly Fact[]) => {
      const added = facts.filter((fact) => fact.kind === "task.enqueued" && mayFit(fact, terms)).length;
      if (added > 0) setFresh((before) => before + added);
      if (facts.length > 0) setPatches((before) => withFacts(before, facts));
    };
    return onNews(hear);
  }, [terms]);
  return { patches, fresh, reset };
}

/** Whether a new task may belong to the list: what a fact does not tell counts as yes. */
function mayFit(fact: Fact, terms: readonly Term[] = []): boolean {
  return terms.every(({ key, values, not }) => {
    if (key !== "queue" && key !== "type" && key !== "project") return true;
    return values.includes(fact[key] ?? "") !== (not ?? false);
  });
}

const remembered = 5000;

function withFacts(before: ReadonlyMap<number, Patch>, facts: readonly Fact[]): ReadonlyMap<number, Patch> {
  const out = new Map(before.size > remembered ? [] : before);
  for (const fact of facts) {
    const id = fact.task_id;
    if (id) out.set(id, { ...out.get(id), ...patchOf(fact) });
  }
  return out;
}
