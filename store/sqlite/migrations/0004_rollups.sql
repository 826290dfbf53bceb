-- What happened in a step of time, by queue and type, folded from the journal up
-- to the seq in meta (rolled): tq.Rollup as JSON.
create table rollups (
  step   integer not null, -- seconds
  at     integer not null, -- its begin, in seconds
  queue  text not null,
  type   text not null,
  counts text not null,
  primary key (step, at, queue, type)
) without rowid;
