// The page's title leads with the number that needs attention.
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { stats } from "../api/queries";

export function useTitle(page: string): void {
  const dead = useQuery(stats()).data?.total.dead ?? 0;
  useEffect(() => {
    document.title = `${dead > 0 ? `(${dead}) ` : ""}${page} · tq`;
    document.getElementById("icon")?.setAttribute("href", iconFor(dead));
  }, [page, dead]);
}

function iconFor(dead: number): string {
  const now = document.getElementById("icon")?.getAttribute("href") ?? "";
  return now.replace(/icon(-dead)?\.svg$/, dead > 0 ? "icon-dead.svg" : "icon.svg");
}
