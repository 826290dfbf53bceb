// What the hub answers, under the names the pages use. The shapes are those of
// the served OpenAPI document: `make web-schema` writes schema.d.ts anew.
import type { operations } from "./schema";

type Answer<Name extends keyof operations> = operations[Name] extends {
  responses: { 200: { content: { "application/json": infer Body } } };
}
  ? Body
  : never;

export type Task = Answer<"task">;
export type TaskPage = Answer<"tasks">;
export type Lease = NonNullable<Task["lease"]>;
export type Dep = NonNullable<Task["deps"]>[number];
export type Fact = Answer<"facts">["facts"][number];
export type FactDetail = NonNullable<Fact["detail"]>;
export type Overview = Answer<"overview">;
export type StatsPage = Answer<"stats">;
export type SeriesPage = Answer<"series">;
export type Stats = StatsPage["total"];
export type Worker = Answer<"workers">["workers"][number];
export type Repo = Answer<"repos">["repos"][number];
export type Explanation = Answer<"explain">;
export type ChangedTask = Answer<"rescue_batch">["tasks"][number];
export type BulkState = Answer<"bulk_state">;
export type Purged = Answer<"queue_purge">;
export type ErrorPage = Answer<"errors">;
export type ErrorGroup = ErrorPage["groups"][number];
