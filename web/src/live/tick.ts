// One beat a second for everything that counts down, and none while paused.
import { useEffect, useState } from "react";
import { hubNow } from "../api/clock";
import { getLive } from "./store";

const listeners = new Set<(now: number) => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function beat(): void {
  if (getLive().phase === "paused" || document.hidden) return;
  const now = hubNow();
  for (const listener of listeners) listener(now);
}

/** The hub's time, renewed each second. */
export function useNow(): number {
  const [now, setNow] = useState(hubNow);
  useEffect(() => {
    listeners.add(setNow);
    timer ??= setInterval(beat, 1000);
    return () => {
      listeners.delete(setNow);
      if (listeners.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, []);
  return now;
}
