// The pages in the order of the rail, with their keys and what they count.
import type { StatsPage } from "../api/shapes";

export interface Page {
  to: "/" | "/tasks";
  name: string;
  key: string; // g, then this
  count?: (stats: StatsPage) => number;
}

export const pages: readonly Page[] = [
  { to: "/", name: "Overview", key: "o" },
  {
    to: "/tasks",
    name: "Tasks",
    key: "t",
    count: ({ total }) => total.ready + total.running + total.scheduled + total.blocked,
  },
];
