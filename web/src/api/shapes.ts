// What the hub answers, under the names the pages use.

export interface Lease {
  worker?: string;
  owner?: string;
  until: string;
  seconds_left: number;
}

export interface Progress {
  at?: string;
  fraction?: number;
  note?: string;
}

export interface Dep {
  id: number;
  status: string;
}

export interface Task {
  id: number;
  queue: string;
  type: string;
  project?: string;
  tags?: string[];
  status: string;
  priority: number;
  idempotency_key?: string;
  attempt: number;
  max_attempts: number;
  epoch: number;
  run_at: string;
  timeout_seconds?: number;
  created_at: string;
  started_at?: string;
  ended_at?: string;
  last_error?: string;
  reason?: string;
  progress?: Progress;
  cancel_requested?: boolean;
  parent?: number;
  children?: Record<string, number>;
  deps?: Dep[];
  on_dep_failure?: string;
  lease?: Lease;
}

export interface TaskPage {
  tasks: Task[];
  cursor?: string;
  searched?: number;
}

export interface FactDetail {
  run_at?: string;
  reason?: string;
  error?: string;
  note?: string;
  fraction?: number;
  late?: boolean;
  force?: boolean;
  until?: string;
  cause?: number;
  kept?: number;
  deleted?: number;
}

export interface Fact {
  seq: number;
  task_id?: number;
  rev?: number;
  queue?: string;
  type?: string;
  project?: string;
  kind: string;
  status?: string;
  epoch: number;
  attempt: number;
  actor?: string;
  at: string;
  detail?: FactDetail;
  settles?: boolean;
}

export interface Stats {
  queue?: string;
  type?: string;
  project?: string;
  paused?: boolean;
  ready: number;
  scheduled: number;
  retrying: number;
  blocked: number;
  blocked_by_dead?: number;
  running: number;
  completed: number;
  dead: number;
  cancelled: number;
  oldest_ready_seconds?: number;
}

export interface StatsPage {
  queues: Stats[];
  total: Stats;
  workers: { busy: number; idle: number; lost: number };
}

export interface Worker {
  id?: string;
  name?: string;
  host?: string;
  version?: string;
  types?: string[];
  queues?: string[];
  slots?: number;
  draining?: boolean;
  owner?: string;
  started_at: string;
  seen_at: string;
  running?: number[];
  state: string;
}

export interface Explanation {
  id: number;
  status: string;
  code: string;
  sentence: string;
  next?: string[];
}

export interface ChangedTask {
  id: number;
  status?: string;
  changed: boolean;
  cancel_requested?: boolean;
  error?: { code: string; message: string; hint?: string };
}
