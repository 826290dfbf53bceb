// Which page stands at which address. A page's code comes with its first visit,
// all but the overview's.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { basePath } from "../api/place";
import { Overview } from "../pages/overview/overview";
import { Broken, Missing } from "./missing";
import { Shell } from "./shell";

const root = createRootRoute({ component: Shell, notFoundComponent: Missing, errorComponent: Broken });

const overview = createRoute({ getParentRoute: () => root, path: "/", component: Overview });

export interface TaskSearch {
  q?: string;
  open?: number; // the task in the side panel
}

const tasks = createRoute({
  getParentRoute: () => root,
  path: "/tasks",
  validateSearch: (search: Record<string, unknown>): TaskSearch => ({
    q: search["q"] === undefined ? undefined : String(search["q"]),
    open: Number(search["open"]) || undefined,
  }),
  component: lazyRouteComponent(() => import("../pages/tasks/tasks"), "Tasks"),
});

const task = createRoute({
  getParentRoute: () => root,
  path: "/tasks/$id",
  component: lazyRouteComponent(() => import("../pages/task/task"), "TaskPage"),
});

const queues = createRoute({
  getParentRoute: () => root,
  path: "/queues",
  component: lazyRouteComponent(() => import("../pages/queues/queues"), "Queues"),
});

const queue = createRoute({
  getParentRoute: () => root,
  path: "/queues/$queue",
  component: lazyRouteComponent(() => import("../pages/queues/queue"), "QueuePage"),
});

const fleet = createRoute({
  getParentRoute: () => root,
  path: "/fleet",
  component: lazyRouteComponent(() => import("../pages/fleet/fleet"), "FleetPage"),
});

const worker = createRoute({
  getParentRoute: () => root,
  path: "/fleet/$worker",
  component: lazyRouteComponent(() => import("../pages/fleet/worker"), "WorkerPage"),
});

const dead = createRoute({
  getParentRoute: () => root,
  path: "/dead",
  component: lazyRouteComponent(() => import("../pages/dead/dead"), "DeadLetters"),
});

const cause = createRoute({
  getParentRoute: () => root,
  path: "/dead/$fingerprint",
  component: lazyRouteComponent(() => import("../pages/dead/cause"), "CausePage"),
});

export interface EnqueueSearch {
  from?: number; // the task to copy
  queue?: string;
}

const enqueue = createRoute({
  getParentRoute: () => root,
  path: "/enqueue",
  validateSearch: (search: Record<string, unknown>): EnqueueSearch => ({
    from: Number(search["from"]) || undefined,
    queue: search["queue"] === undefined ? undefined : String(search["queue"]),
  }),
  component: lazyRouteComponent(() => import("../pages/enqueue/enqueue"), "EnqueuePage"),
});

const workbench = createRoute({
  getParentRoute: () => root,
  path: "/workbench",
  component: lazyRouteComponent(() => import("../pages/workbench/workbench"), "Workbench"),
});

const concepts = createRoute({
  getParentRoute: () => root,
  path: "/concepts",
  component: lazyRouteComponent(() => import("../pages/concepts/concepts"), "Concepts"),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  component: lazyRouteComponent(() => import("../pages/settings/settings"), "Settings"),
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/signin",
  validateSearch: (search: Record<string, unknown>): { back?: string } => ({
    back: search["back"] === undefined ? undefined : String(search["back"]),
  }),
  component: lazyRouteComponent(() => import("../pages/signin/signin"), "SignIn"),
});

/** The address that users of /v1/jobs expect. */
const alias = createRoute({
  getParentRoute: () => root,
  path: "/jobs/$id",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/tasks/$id", params, replace: true });
  },
});

export function makeRouter() {
  return createRouter({
    routeTree: root.addChildren([
      overview,
      tasks,
      task,
      queues,
      queue,
      fleet,
      worker,
      dead,
      cause,
      enqueue,
      workbench,
      concepts,
      settings,
      signIn,
      alias,
    ]),
    basepath: basePath || "/",
    defaultPreload: "intent",
    scrollRestoration: true,
    // Search values are plain text: ?q=status:dead, not JSON in quotes.
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const pairs = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
      const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
      return text && `?${text.replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%3E", ">")}`;
    },
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
