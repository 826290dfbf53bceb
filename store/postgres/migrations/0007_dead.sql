-- Dead tasks by what they died of: a row for each, as a waiting task has one
-- where it waits. cause is tq.CauseOf; a sweep fills it in. What is dead already
-- gets its rows here, in one walk along the index of what ended.
create table dead (
  id      bigint primary key,
  lane    int not null,
  rev     bigint not null,
  epoch   bigint not null,
  attempt smallint not null,
  at      bigint not null, -- when it died
  cause   text collate "C"
);
create index dead_cause on dead (cause, lane, id) include (at) where cause is not null;
create index dead_unnamed on dead (id) where cause is null;

insert into dead (id, lane, rev, epoch, attempt, at)
  select f.task_id, f.lane, f.rev, f.epoch, f.attempt, f.at
  from facts f join tasks t on t.id = f.task_id
  where f.status >= 4 and f.status = 5
    and not exists (select from facts n where n.task_id = f.task_id and n.rev > f.rev);
