// How a repository of the agent pool stands, in words.
import type { Repo } from "../../api/shapes";
import { count } from "../../format/number";

/** 12 points open, 2 left alone */
export function backlogWords({ backlog, left_alone: leftAlone }: Repo): string {
  if (backlog === undefined) return "not harvested";
  const open = backlog === 0 ? "none open" : `${count(backlog, "point")} open`;
  return leftAlone ? `${open}, ${leftAlone} left alone` : open;
}

/** 1 running, 2 waiting */
export function flightWords({ running, ready, scheduled }: Repo): string {
  const waiting = ready + scheduled;
  const parts = [running > 0 && `${running} running`, waiting > 0 && `${waiting} waiting`];
  return parts.filter((part) => part !== false).join(", ") || "nothing";
}

/** 31 done, 1 dead */
export function endedWords({ completed, dead }: Repo): string {
  return dead > 0 ? `${completed} done, ${dead} dead` : `${completed} done`;
}
