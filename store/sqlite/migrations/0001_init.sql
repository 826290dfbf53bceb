-- The shape: the journal is the truth. The last fact of a task is its status;
-- what is wide (tasks) never changes; a waiting task is one narrow row in ready,
-- delayed or blocked; a held one is its last fact and the lease of its claim.
-- All times are milliseconds since the Unix epoch.

create table meta (
  name  text primary key,
  value blob not null
) without rowid;

-- A lane is where claims look: one queue, type and project. Paused queues and
-- types a worker cannot run are lanes left out, never rows walked over.
create table lanes (
  id      integer primary key,
  queue   text not null,
  type    text not null,
  project text not null,
  unique (queue, type, project)
);

create table paused (
  queue text primary key
) without rowid;

-- What was asked for. Written once; ids are never used again.
create table tasks (
  id           integer primary key autoincrement,
  lane         integer not null,
  prio         integer not null, -- the negative of the priority, so that small comes first
  max_attempts integer not null,
  created_at   integer not null,
  run_at       integer not null, -- as asked for at enqueue
  timeout      integer not null, -- milliseconds, 0 is none
  parent       integer,
  key          text,
  key_until    integer not null, -- 0 deleted, 1 terminal
  on_dep       integer not null, -- 0 block, 1 cancel, 2 run
  deps         text,             -- JSON array of ids
  tags         text,             -- JSON array
  backoff      text,             -- JSON object
  payload      text
);
create index tasks_lane on tasks (lane, id desc);
create index tasks_parent on tasks (parent) where parent is not null;
-- Lists by key find tasks whose key was freed at their end as well.
create index tasks_key on tasks (key) where key is not null;

-- Idempotency keys in force. body is the hash that tells a repeat from another
-- task under the same key.
create table keys (
  queue   text not null,
  key     text not null,
  task_id integer not null,
  body    blob not null,
  primary key (queue, key)
) without rowid;

-- Claimable now. pos is the seq of the fact that made it so, or the next free
-- seq when a time came due; a task given back returns to its old pos.
create table ready (
  lane     integer not null,
  prio     integer not null,
  pos      integer not null,
  id       integer not null,
  rev      integer not null,
  epoch    integer not null,
  attempt  integer not null,
  releases integer not null,
  ready_at integer not null,
  primary key (lane, prio, pos)
) without rowid;

-- Written inside somebody else's transaction (EnqueueTx): the next writer gives
-- it its first fact and its place.
create table inbox (
  id    integer primary key,
  lane  integer not null,
  actor text not null
);

-- Pending, not before run_at.
create table delayed (
  run_at   integer not null,
  id       integer not null,
  lane     integer not null,
  prio     integer not null,
  rev      integer not null,
  epoch    integer not null,
  attempt  integer not null,
  releases integer not null,
  primary key (run_at, id)
) without rowid;

-- Waiting for dependencies: open counts its edges, stuck those of them whose
-- parent is dead.
create table blocked (
  id      integer primary key,
  lane    integer not null,
  prio    integer not null,
  open    integer not null,
  stuck   integer not null,
  rev     integer not null,
  epoch   integer not null,
  attempt integer not null
);

-- One row for each dependency that is not satisfied yet.
create table edges (
  parent integer not null,
  child  integer not null,
  policy integer not null, -- 0 block, 1 cancel, 2 run
  stuck  integer not null, -- 1 when the parent is dead and this is counted in blocked.stuck
  primary key (parent, child)
) without rowid;
create index edges_child on edges (child);

-- Ended or revived tasks whose dependants are not all told yet; the sweep goes
-- on behind child.
create table cascades (
  parent integer primary key,
  child  integer not null
);

-- The journal. (task_id, rev) is the fence: who read rev n writes n + 1, and
-- only one can.
create table facts (
  seq      integer primary key,
  task_id  integer not null,
  rev      integer not null,
  kind     integer not null, -- position in tq.Kinds, from 1
  status   integer not null, -- after it: 1 blocked … 6 cancelled, as in tq.Statuses
  settles  integer not null,
  epoch    integer not null,
  attempt  integer not null,
  releases integer not null,
  lane     integer not null,
  place    integer,          -- pending: pos in ready, null while in delayed; running: its old pos
  due      integer not null, -- run_at: when it became or becomes claimable, as last set
  grant_id integer,          -- of a running task: the lease it is held under
  cancel   integer not null, -- 1: cancel was requested
  at       integer not null,
  actor    text not null,
  hash     blob,             -- of a settling fact, tq.SettleHash
  detail   text,             -- tq.FactDetail as JSON
  body     text,             -- result of completed, error text of failed
  unique (task_id, rev)
);
-- Lists of ended tasks. Holds every fact with such a status; the reader checks
-- that it is the task's last.
create index facts_ended on facts (status, lane, task_id desc) where status >= 4;

-- Acts without a task, in the same order as the facts.
create table acts (
  seq    integer primary key,
  kind   text not null,
  queue  text not null,
  actor  text not null,
  at     integer not null,
  detail text
);

-- The lease of the tasks of one claim that have the same timeout, or of one task
-- that was extended apart from its claim. A grant that holds nothing is deleted
-- at once, so there are never more of them than running tasks.
create table grants (
  id       integer primary key, -- taken from the same sequence as seq
  held     integer not null,    -- how many tasks it holds
  worker   text not null,
  owner    text not null,
  claim_id text,
  lease    integer not null, -- milliseconds, as asked for
  until    integer not null,
  deadline integer           -- claim + timeout: never extended past it
);
create index grants_until on grants (until);
create index grants_claim on grants (claim_id) where claim_id is not null;
-- Which tasks a grant holds: the running tasks whose last fact names it.
create index facts_grant on facts (grant_id) where grant_id is not null;

-- Counts by lane and bucket, kept by the writer in the same transaction.
-- bucket: 1 in ready, 2 in delayed, 3 those of 2 with attempt > 0, 4 blocked,
-- 5 those of 4 with stuck > 0, 6 running, 7 completed, 8 dead, 9 cancelled.
create table counters (
  lane   integer not null,
  bucket integer not null,
  n      integer not null,
  primary key (lane, bucket)
) without rowid;

create table workers (
  id         text primary key,
  name       text not null,
  host       text not null,
  version    text not null,
  owner      text not null,
  types      text not null, -- JSON array
  queues     text not null, -- JSON array
  slots      integer not null,
  draining   integer not null,
  started_at integer not null,
  seen_at    integer not null
) without rowid;
