-- The shape is SQLite's (store/sqlite/migrations), moved to where many writers
-- commit at once: nothing hot is updated, no counter is shared, and every read
-- that follows the journal or the lines of ready tasks stops at the floor (see
-- floor.go). All times are milliseconds since the Unix epoch by the server's
-- clock. One nextval of batches numbers a whole statement: its rows get
-- seq = batch * 1024 + ordinal.

create sequence batches;
select nextval('batches'); -- a fresh sequence answers last_value 1 before its first use
create sequence task_ids;

create table meta (
  name  text primary key,
  value bytea not null
);

-- How far the folder, retention and expiry have come.
create table marks (
  name text primary key,
  n    bigint not null
);

-- Where claims look: one queue, type, project and priority. Having the priority
-- in the lane makes the list of lanes the list of all line heads there can be.
create table lanes (
  id      int generated always as identity primary key,
  queue   text collate "C" not null,
  type    text collate "C" not null,
  project text collate "C" not null,
  prio    smallint not null, -- the negative of the priority minus one, so that small comes first and both ends fit
  unique (queue, type, project, prio)
);

create table paused (
  queue text collate "C" primary key
);

create table tasks (
  id           bigint primary key,
  lane         int not null,
  max_attempts smallint not null,
  created_at   bigint not null,
  run_at       bigint not null,
  timeout      bigint not null,
  parent       bigint,
  key          text collate "C",
  key_body     bytea,            -- tells a repeat from another task under the same key
  key_until    smallint not null,
  on_dep       smallint not null,
  deps         text,             -- JSON array of ids
  tags         text,             -- JSON array
  backoff      text,
  payload      text
);
create index tasks_lane on tasks (lane, id desc);
-- Lists by key find tasks whose key was freed at their end as well.
create index tasks_key on tasks (key) where key is not null;
create index tasks_parent on tasks (parent) where parent is not null;

create table keys (
  queue   text collate "C" not null,
  key     text collate "C" not null,
  task_id bigint not null,
  primary key (queue, key)
);

-- Claimable now. back 1 holds what returned to an old place: a claim reads it
-- from its start, and back 0 only from its cursor on, so that rows which a held
-- snapshot keeps from being vacuumed are never walked over again (44 ms a claim
-- without, 0.2 ms with).
create table ready (
  lane     int not null,
  back     smallint not null,
  pos      bigint not null,
  id       bigint not null,
  rev      bigint not null,
  epoch    bigint not null,
  attempt  smallint not null,
  releases int not null,
  due      bool not null, -- it came here from delayed: its place is in promoted
  ready_at bigint not null,
  primary key (lane, back, pos)
);

create table delayed (
  run_at   bigint not null,
  id       bigint not null,
  lane     int not null,
  rev      bigint not null,
  epoch    bigint not null,
  attempt  smallint not null,
  releases int not null,
  primary key (run_at, id)
);

-- When the next task of a claim comes due.
create index delayed_lane on delayed (lane, run_at);

-- A task that came due moves without a fact, so its last fact does not know its
-- place; this does.
create table promoted (
  id   bigint primary key,
  lane int not null,
  pos  bigint not null
);

create table blocked (
  id      bigint primary key,
  lane    int not null,
  open    int not null,
  stuck   int not null,
  rev     bigint not null,
  epoch   bigint not null,
  attempt smallint not null,
  run_at  bigint not null
);

create table edges (
  parent bigint not null,
  child  bigint not null,
  policy smallint not null,
  stuck  smallint not null,
  primary key (parent, child)
);
create index edges_child on edges (child);

create table cascades (
  parent bigint primary key,
  child  bigint not null
);

create table facts (
  task_id  bigint not null,
  rev      bigint not null,
  seq      bigint not null,
  kind     smallint not null,
  status   smallint not null,
  settles  bool not null,
  epoch    bigint not null,
  attempt  smallint not null,
  releases int not null,
  lane     int not null,
  spot     smallint not null, -- where it stands: 0 nowhere, 1 ready, 2 ready back, 3 delayed; running: the spot it came from
  place    bigint,            -- pos, or run_at in delayed; of a running task its old pos
  grant_id bigint,
  cancel   bool not null,
  due      bigint not null,  -- run_at: when it became or becomes claimable, as last set
  at       bigint not null,
  actor    text not null,
  hash     bytea,
  detail   text,
  body     text,
  primary key (task_id, rev)
);
create unique index facts_seq on facts (seq);
create index facts_ended on facts (status, lane, task_id desc) where status >= 4;

create table acts (
  seq    bigint primary key,
  kind   text not null,
  queue  text not null,
  actor  text not null,
  at     bigint not null,
  detail text
);

-- id is the batch of the facts it was granted with, so that these are one range
-- of seq.
create table grants (
  id       bigint primary key,
  worker   text not null,
  owner    text not null,
  claim_id text collate "C",
  part     int not null,
  lease    bigint not null,
  until    bigint not null,
  deadline bigint
) with (fillfactor = 70);
create index grants_until on grants (until);
create unique index grants_claim on grants (claim_id, part) where claim_id is not null;
create index grants_worker on grants (worker);

-- Counts are the sum of counters and of the deltas behind the folder's cursor.
-- Deltas are only inserted and, once folded, deleted: an updated row for each
-- queue fell from 1,900 to 979 transactions a second under a held snapshot.
create table counters (
  lane   int not null,
  bucket smallint not null,
  n      bigint not null,
  primary key (lane, bucket)
);
create table deltas (
  seq    bigint not null,
  lane   int not null,
  bucket smallint not null,
  n      bigint not null
);
create index deltas_seq on deltas (seq);

-- What a foreign transaction enqueued: the mover gives it its place and fact.
create table inbox (
  id bigint primary key
);

create table workers (
  id         text collate "C" primary key,
  name       text not null,
  host       text not null,
  version    text not null,
  owner      text not null,
  types      text[] not null,
  queues     text[] not null,
  slots      int not null,
  draining   bool not null,
  started_at bigint not null,
  seen_at    bigint not null
);

alter table facts set (autovacuum_analyze_threshold = 2000000000);
alter table tasks set (autovacuum_analyze_threshold = 2000000000);
alter table ready set (autovacuum_analyze_threshold = 2000000000);
alter table grants set (autovacuum_analyze_threshold = 2000000000);
