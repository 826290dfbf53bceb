// A link to a task for where there are many and they change with each fact: the
// router's own looks its place up in all routes at every drawing, which was most
// of what a page did under two hundred facts a second.
import { useRouter } from "@tanstack/react-router";
import type { MouseEvent } from "react";
import { basePath } from "../api/place";

export function TaskRef({ id }: { id: number }) {
  const router = useRouter();
  const go = (event: MouseEvent) => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return; // the browser's: another tab, a window, a download
    event.preventDefault();
    void router.navigate({ to: "/tasks/$id", params: { id: String(id) } });
  };
  return (
    <a href={`${basePath}/tasks/${id}`} className="mono" onClick={go}>
      {id}
    </a>
  );
}
