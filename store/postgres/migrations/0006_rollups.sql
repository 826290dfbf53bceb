-- What happened in a step of time, by queue and type, folded from the journal up
-- to the seq in marks (rolled): tq.Rollup as JSON. Only the folder writes here.
create table rollups (
  step   bigint not null, -- seconds
  at     bigint not null, -- its begin, in seconds
  queue  text collate "C" not null,
  type   text collate "C" not null,
  counts text not null,
  primary key (step, at, queue, type)
);
