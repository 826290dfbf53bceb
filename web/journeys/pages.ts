// Every page, for what has to hold on each of them.

export interface PageUnderTest {
  name: string;
  path: (seeded: { report: number }) => string;
  ready: string; // text that shows when the page is there
}

export const pagesUnderTest: readonly PageUnderTest[] = [
  { name: "overview", path: () => "/", ready: "Pigeonholes" },
  { name: "tasks", path: () => "/tasks", ready: "Mark all" },
  { name: "task", path: ({ report }) => `/tasks/${report}`, ready: "Timeline" },
  { name: "signin", path: () => "/signin", ready: "Token" },
];
