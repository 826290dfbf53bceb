// The tasks of a filter: pages from the hub, looked through here for what the
// hub cannot select. Facts change the rows where they stand; new tasks wait
// until somebody asks for them, so that nothing moves under the pointer.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { ask } from "../../api/client";
import { hubNow } from "../../api/clock";
import { pageSize, tasks } from "../../api/queries";
import type { Fact, Task } from "../../api/shapes";
import type { ListedTask, Plan } from "../../filter/plan";
import { type Patch, patchOf } from "../../live/patch";
import { onNews } from "../../live/store";

export interface TaskList {
  tasks: readonly Task[];
  loading: boolean;
  error: unknown;
  searched: number; // tasks that were looked at
  fresh: number; // new tasks that are not shown yet
  hasMore: boolean;
  more: () => void;
  refresh: () => void;
}

const fewest = 50; // rows to fill before a search stops by itself
const searchBound = 20; // pages that one search looks through by itself

export function useTaskList(plan: Plan | undefined, filter: string): TaskList {
  const named = useNamed(plan?.ids);
  const paged = useInfiniteQuery({ ...tasks(plan?.query ?? {}), enabled: plan !== undefined && !plan.ids });
  const { patches, fresh, reset } = usePatches(filter, plan);
  const pages = paged.data?.pages;
  const all = useMemo(() => {
    const found = plan?.ids ? named.data : pages?.flatMap((page) => page.tasks);
    return (found ?? []) as readonly ListedTask[];
  }, [plan, named.data, pages]);
  // A task is kept by what it was when it came: a row that has moved on since stays where it stands.
  const kept = useMemo(() => (plan?.keeps ? all.filter((task) => plan.keeps?.(task, hubNow())) : all), [all, plan]);
  const rows = useMemo(() => kept.map((task) => patched(task, patches.get(task.id))), [kept, patches]);

  const { hasNextPage, isFetching, fetchNextPage } = paged;
  const searching = plan?.keeps !== undefined && kept.length < fewest && (pages?.length ?? 0) < searchBound;
  useEffect(() => {
    if (searching && hasNextPage && !isFetching) void fetchNextPage();
  }, [searching, hasNextPage, isFetching, fetchNextPage]);
  const refresh = () => {
    reset();
    void (plan?.ids ? named.refetch() : paged.refetch());
  };
  return {
    tasks: rows,
    loading: plan?.ids ? named.isLoading : paged.isLoading,
    error: named.error ?? paged.error,
    searched: plan?.keeps ? all.length : 0,
    fresh,
    hasMore: hasNextPage,
    more: () => void (!isFetching && fetchNextPage()),
    refresh,
  };
}

function patched(task: Task, patch: Patch | undefined): Task {
  return patch ? { ...task, ...patch } : task;
}

function useNamed(ids: readonly number[] | undefined) {
  return useQuery({
    queryKey: ["list", "named", ids],
    enabled: ids !== undefined,
    queryFn: async ({ signal }) => {
      const found = await Promise.allSettled(
        (ids ?? []).slice(0, pageSize).map((id) => ask<Task>(`/v1/tasks/${id}`, { signal })),
      );
      return found.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    },
  });
}

/** What facts have changed since the list was asked for. */
function usePatches(filter: string, plan: Plan | undefined) {
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
      const added = facts.filter((fact) => fact.kind === "task.enqueued" && mayFit(fact, plan)).length;
      if (added > 0) setFresh((before) => before + added);
      if (facts.length > 0) setPatches((before) => withFacts(before, facts));
    };
    return onNews(hear);
  }, [plan]);
  return { patches, fresh, reset };
}

/** Whether a new task may belong to the list: what a fact does not tell counts as yes. */
function mayFit(fact: Fact, plan: Plan | undefined): boolean {
  const query = plan?.query ?? {};
  return (["queue", "type", "project"] as const).every(
    (name) => query[name] === undefined || query[name] === fact[name],
  );
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
