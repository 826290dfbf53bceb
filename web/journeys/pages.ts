// Every page, for what has to hold on each of them.

import type { seedDay } from "./seed";

type Seeded = Awaited<ReturnType<typeof seedDay>>;

export interface PageUnderTest {
  name: string;
  path: (seeded: Seeded) => string;
  ready: string; // text that shows when the page is there
}

export const pagesUnderTest: readonly PageUnderTest[] = [
  { name: "overview", path: () => "/", ready: "Pigeonholes" },
  { name: "tasks", path: () => "/tasks", ready: "Mark all" },
  { name: "task", path: ({ retried }) => `/tasks/${retried}`, ready: "Timeline" },
  { name: "queues", path: () => "/queues", ready: "in it now" },
  { name: "queue", path: () => "/queues/shop:tasks", ready: "What its dead died of" },
  { name: "fleet", path: () => "/fleet", ready: "sign of work" },
  { name: "worker", path: ({ runner }) => `/fleet/${runner}`, ready: "Take it out" },
  { name: "dead", path: () => "/dead", ready: "what they died of" },
  { name: "cause", path: ({ cause }) => `/dead/${cause}`, ready: "Rescue one, then the rest" },
  { name: "enqueue", path: () => "/enqueue", ready: "The same as typed" },
  { name: "workbench", path: () => "/workbench", ready: "The same elsewhere" },
  { name: "concepts", path: () => "/concepts", ready: "Leases and the fence" },
  { name: "settings", path: () => "/settings", ready: "over queues" },
  { name: "signin", path: () => "/signin", ready: "Token" },
];
