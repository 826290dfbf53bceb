// Which answers new facts make stale, and asking for them again: at most once a
// second, all tabs not in the same instant.
import type { QueryClient } from "@tanstack/react-query";
import type { Overview } from "../api/shapes";
import { getLive, onNews } from "./store";
import { touched } from "./touched";

const restMs = 1000;
const jitterMs = 250;

/** Keeps client fresh until the returned function is called. */
export function keepFresh(client: QueryClient): () => void {
  const stale = new Map<string, unknown[]>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const sweep = () => {
    timer = undefined;
    const keys = [...stale.values()];
    stale.clear();
    if (getLive().phase === "paused") return;
    for (const queryKey of keys) void client.invalidateQueries({ queryKey });
  };
  const stop = onNews((facts, overview) => {
    if (overview) return show(client, overview);
    const keys = facts.length > 0 ? facts.flatMap(touched) : [[]]; // none: anything may have changed
    if (getLive().phase === "polling") keys.push(["overview"]); // nothing brings it
    for (const key of keys) stale.set(JSON.stringify(key), key);
    timer ??= setTimeout(sweep, restMs + Math.random() * jitterMs);
  });
  return () => {
    clearTimeout(timer);
    stop();
  };
}

/** The stream brings the whole answer: nobody has to ask. */
function show(client: QueryClient, overview: Overview): void {
  client.setQueryData(["overview"], overview);
}
