// The page's title leads with the number that needs attention.
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { at } from "../api/place";
import { overview } from "../api/queries";

export function useTitle(page: string): void {
  const dead = useQuery(overview).data?.total.dead ?? 0;
  useEffect(() => {
    document.title = `${dead > 0 ? `(${dead}) ` : ""}${page} · tq`;
    // In full: a relative one would be sought beside each page's address.
    document.getElementById("icon")?.setAttribute("href", at(dead > 0 ? "/icon-dead.svg" : "/icon.svg"));
  }, [page, dead]);
}
