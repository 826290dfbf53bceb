// Who is signed in. The hub keeps the token behind a cookie that no script can read.
import { queryOptions } from "@tanstack/react-query";
import { ask } from "./client";

export interface Me {
  id?: string;
  name?: string;
  can?: string[];
  queues?: string[];
  types?: string[];
  expires_at?: string;
}

/** Who am I: a Problem with status 401 for nobody. */
export const me = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => ask<Me>("/session", { signal }),
  staleTime: 60_000,
  retry: false,
});

export function signIn(token: string): Promise<Me> {
  return ask<Me>("/session", { method: "POST", body: { token } });
}

export function signOut(): Promise<void> {
  return ask<void>("/session", { method: "DELETE" });
}
