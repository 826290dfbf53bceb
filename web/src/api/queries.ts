// Every question the pages ask, with the key it is kept under. The first word
// of a key is what live facts make stale (live/stale.ts).
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { elements, member } from "../json/raw";
import { ask, askText, type Query } from "./client";
import { Problem } from "./problem";
import type {
  ErrorPage,
  Explanation,
  Fact,
  Overview,
  Repo,
  SeriesPage,
  StatsPage,
  Task,
  TaskPage,
  Worker,
} from "./shapes";

export const pageSize = 100;

/** Whether anything needs somebody. The stream brings it anew as it changes. */
export const overview = queryOptions({
  queryKey: ["overview"],
  queryFn: ({ signal }) => ask<Overview>("/v1/overview", { signal }),
});

export const stats = (query: Query = {}) =>
  queryOptions({
    queryKey: ["stats", query],
    queryFn: ({ signal }) => ask<StatsPage>("/v1/stats", { query, signal }),
  });

/** What happened over time, counted by the hub. */
export const series = (query: { queue?: string; range_seconds: number }) =>
  queryOptions({
    queryKey: ["stats", "series", query],
    queryFn: ({ signal }) => ask<SeriesPage>("/v1/series", { query, signal }),
  });

export const workers = queryOptions({
  queryKey: ["workers"],
  queryFn: async ({ signal }) => (await ask<{ workers: Worker[] }>("/v1/workers", { signal })).workers,
});

/** How the repositories of the agent pool stand, as their tasks tell. */
export const repos = queryOptions({
  queryKey: ["stats", "repos"],
  queryFn: async ({ signal }) => (await ask<{ repos: Repo[] }>("/v1/repos", { signal })).repos,
});

/** What is running now, with its leases: for the fleet. */
export const running = queryOptions({
  queryKey: ["tasks", "running"],
  queryFn: async ({ signal }) =>
    (await ask<TaskPage>("/v1/tasks", { query: { status: "running", limit: pageSize }, signal })).tasks,
});

export const tasks = (query: Query) =>
  infiniteQueryOptions({
    queryKey: ["list", query],
    queryFn: ({ signal, pageParam }) =>
      ask<TaskPage>("/v1/tasks", { query: { limit: pageSize, ...query, cursor: pageParam }, signal }),
    initialPageParam: "",
    getNextPageParam: (page: TaskPage) => page.cursor,
  });

/** A task with the exact texts of what came in and went out. */
export interface FullTask extends Task {
  raw: { payload?: string; result?: string; depResults: Record<number, string> };
}

export const task = (id: number) =>
  queryOptions({
    queryKey: ["task", id],
    queryFn: async ({ signal }) => fullTask(await askText(`/v1/tasks/${id}`, { signal })),
    retry: (failures, error) => failures < 2 && !(error instanceof Problem && error.status === 404),
  });

export function fullTask(text: string): FullTask {
  const depResults: Record<number, string> = {};
  for (const dep of elements(member(text, "deps") ?? "")) {
    const result = member(dep, "result");
    if (result !== undefined) depResults[Number(member(dep, "id"))] = result;
  }
  const raw = { payload: member(text, "payload"), result: member(text, "result"), depResults };
  return { ...(JSON.parse(text) as Task), raw };
}

export const explanation = (id: number) =>
  queryOptions({
    queryKey: ["task", id, "explain"],
    queryFn: ({ signal }) => ask<Explanation>(`/v1/tasks/${id}/explain`, { signal }),
  });

export const factsOf = (id: number) =>
  queryOptions({
    queryKey: ["task", id, "facts"],
    queryFn: ({ signal }) => allFacts(id, signal),
  });

const factPage = 1000;
const factLimit = 5000;

/** All facts of a task, up to factLimit of them. */
async function allFacts(id: number, signal: AbortSignal): Promise<Fact[]> {
  const out: Fact[] = [];
  for (let after = 0; out.length < factLimit;) {
    const query = { after, limit: factPage };
    const { facts } = await ask<{ facts: Fact[] }>(`/v1/tasks/${id}/facts`, { query, signal });
    out.push(...facts);
    if (facts.length < factPage) break;
    after = facts.at(-1)?.seq ?? after;
  }
  return out;
}

export const children = (id: number) =>
  queryOptions({
    queryKey: ["tasks", "children", id],
    queryFn: async ({ signal }) =>
      (await ask<TaskPage>("/v1/tasks", { query: { parent: id, limit: pageSize }, signal })).tasks,
  });

export async function newestFacts(limit: number): Promise<Fact[]> {
  return (await ask<{ facts: Fact[] }>("/v1/facts", { query: { last: true, limit } })).facts;
}

export async function factsAfter(after: number, limit: number): Promise<Fact[]> {
  return (await ask<{ facts: Fact[] }>("/v1/facts", { query: { after, limit } })).facts;
}

/** Dead tasks by what they died of; with a fingerprint that group alone, with the ids of its tasks. */
export const errors = (query: { queue?: string; fingerprint?: string } = {}) =>
  queryOptions({
    queryKey: ["errors", query],
    queryFn: ({ signal }) => ask<ErrorPage>("/v1/errors", { query, signal }),
  });

export const runningIn = (queue: string) =>
  queryOptions({
    queryKey: ["tasks", "running", queue],
    queryFn: async ({ signal }) =>
      (await ask<TaskPage>("/v1/tasks", { query: { queue, status: "running", limit: 50 }, signal })).tasks,
  });
