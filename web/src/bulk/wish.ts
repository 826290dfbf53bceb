// One verb for every task that a filter selects: the hub counts, begins, tells
// how far it has come and stops. It goes on when the page is closed.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { ask } from "../api/client";
import { Problem } from "../api/problem";
import type { BulkState } from "../api/shapes";
import { useLive } from "../live/store";
import type { Wish } from "./words";

/** How many tasks a wish would change by where they stand now. */
export const counted = (wish: Wish) =>
  queryOptions({
    queryKey: ["counted", wish],
    queryFn: ({ signal }) => ask<BulkState>("/v1/bulk", { method: "POST", body: { ...wish, dry_run: true }, signal }),
    gcTime: 0,
    retry: false,
  });

export function begin(wish: Wish, rate: number): Promise<BulkState> {
  const id = Array.from(crypto.getRandomValues(new Uint8Array(10)), (byte) => byte.toString(16).padStart(2, "0"));
  const body = { ...wish, rate: rate || undefined, id: id.join("") };
  return ask<BulkState>("/v1/bulk", { method: "POST", body });
}

export function stop(id: string): Promise<BulkState> {
  return ask<BulkState>(`/v1/bulk/${id}`, { method: "DELETE" });
}

/**
 * Where an operation stands: the hub answers at its end, or after a second with
 * how far it is. Asked until it is over, and not while the page is paused.
 */
export function useOperation(id: string | undefined): { state: BulkState | undefined; error: unknown } {
  const paused = useLive().phase === "paused";
  const { data, error } = useQuery({
    queryKey: ["bulk", id],
    enabled: id !== undefined,
    queryFn: ({ signal }) => ask<BulkState>(`/v1/bulk/${id}`, { query: { wait_seconds: 1 }, signal }),
    refetchInterval: ({ state }) => !paused && state.data?.state === "running" && 1,
    retry: (failures, refusal) => failures < 20 && !(refusal instanceof Problem && refusal.status < 500),
  });
  return { state: data, error };
}
