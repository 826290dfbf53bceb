// The pages in the order of the rail, with their keys and what they count.
import type { Overview } from "../api/shapes";

export interface Page {
  to: "/" | "/tasks" | "/queues" | "/fleet" | "/dead" | "/enqueue" | "/workbench" | "/concepts" | "/settings";
  name: string;
  key: string; // g, then this
  tool?: boolean; // stands below the line
  count?: (all: Overview) => number;
}

export const pages: readonly Page[] = [
  { to: "/", name: "Overview", key: "o" },
  {
    to: "/tasks",
    name: "Tasks",
    key: "t",
    count: ({ total }) => total.ready + total.running + total.scheduled + total.blocked,
  },
  { to: "/queues", name: "Queues", key: "q", count: ({ queues }) => queues.length },
  { to: "/fleet", name: "Fleet", key: "f", count: ({ workers }) => workers.busy + workers.idle + workers.lost },
  { to: "/dead", name: "Dead letters", key: "d", count: ({ total }) => total.dead },
  { to: "/enqueue", name: "Enqueue", key: "e", tool: true },
  { to: "/workbench", name: "Workbench", key: "w", tool: true },
  { to: "/concepts", name: "Concepts", key: "c", tool: true },
  { to: "/settings", name: "Settings", key: "s", tool: true },
];
