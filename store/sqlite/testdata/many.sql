-- Fills an empty store with tasks to list: temp.size says how many (n), of what
-- instant (now, in milliseconds), in how many lanes (lanes, to 10,000). For
-- reading alone: keys are not in force, and nobody holds the leases.
-- Nine of ten tasks are in 20 lanes, the rest in all of them; all are a day old
-- or younger.

insert into lanes (id, queue, type, project)
with recursive l(i) as (select 0 union all select i + 1 from l where i + 1 < (select lanes from temp.size))
select i + 1, 'q' || (i % 100), 't' || (i / 100 % 20), 'p' || (i / 2000) from l;

-- k says how a task stands, in percent: to 84 completed, 85 dead, 86 cancelled,
-- to 91 ready, to 94 scheduled, 95 retrying, to 98 blocked, 99 running.
create temp view many (id, at, lane, prio, k) as
with recursive n(i) as (select 1 union all select i + 1 from n where i < (select n from temp.size))
select i, s.now - (s.n - i) * 86400000 / s.n,
  1 + case when i % 10 = 0 then i / 10 * 7919 % s.lanes else i % min(20, s.lanes) end,
  -(i % 4), i * 31 / 7 % 100
from n cross join temp.size s;

insert into tasks (id, lane, prio, max_attempts, created_at, run_at, timeout, parent, key, key_until, on_dep, deps, tags, payload)
select id, lane, prio, 3, at, at, 0,
  case when id > 1 and id % 50 = 8 then 1 when id % 50 = 7 then id / 1000 * 1000 + 1 end,
  case when id % 100 = 13 then 'often' when id % 10 = 3 then 'key-' || id end, 1, 0,
  case when k between 96 and 98 then '[1]' end,
  case when id = 12345 then '["once"]' when id % 20 = 5 then '["slow","eu"]' end,
  '{"order":' || id || ',"customer":"c' || (id % 977) || '","note":"' || replace(hex(zeroblob(60)), '00', 'xy') || '"}'
from many order by id;

-- Three numbers of the journal for each task: enqueued, claimed, and its end.
insert into facts (seq, task_id, rev, kind, status, settles, epoch, attempt, releases, lane, place, due, grant_id, cancel, at, actor, detail, body)
select 3 * id - 3 + j, id, j,
  case when j = 1 then 1 when k = 86 then 11 when j = 2 then 3 when k = 85 then 7 when k = 95 then 6 else 5 end,
  case when j = 1 and k between 96 and 98 then 1 when j = 1 then 2 when k = 86 then 6 when j = 2 then 3
    when k = 85 then 5 when k = 95 then 2 else 4 end,
  j = 3 and k < 85, j > 1 and k <> 86, j > 1 and k <> 86, 0, lane,
  case when j = 1 and k between 87 and 91 then 3 * id - 2 end,
  case when k between 92 and 95 then at + 172800000 else at end,
  case when j = 2 and k = 99 then 3 * id - 1 end, 0, at, 'many',
  case when j = 3 and k = 85 then '{"reason":"gave_up"}' end,
  case when j = 3 and k < 85 then '{"ok":true}' when j = 3 and k = 95 then 'the supplier of ' || (id % 50) || ' is away' end
from many cross join (select 1 as j union all select 2 union all select 3)
where j = 1 or j = 2 and (k <= 86 or k in (95, 99)) or j = 3 and (k <= 85 or k = 95)
order by id, j;

create temp table live as select * from many where k > 86;

insert into ready (lane, prio, pos, id, rev, epoch, attempt, releases, ready_at)
select lane, prio, 3 * id - 2, id, 1, 0, 0, 0, at from temp.live where k between 87 and 91 order by 1, 2, 3;

insert into delayed (run_at, id, lane, prio, rev, epoch, attempt, releases)
select at + 172800000, id, lane, prio, case k when 95 then 3 else 1 end, k = 95, k = 95, 0 from temp.live where k between 92 and 95;

insert into blocked (id, lane, prio, open, stuck, rev, epoch, attempt)
select id, lane, prio, 1, 0, 1, 0, 0 from temp.live where k between 96 and 98;

insert into edges (parent, child, policy, stuck) select 1, id, 0, 0 from temp.live where k between 96 and 98 and id > 1;

insert into grants (id, held, worker, owner, claim_id, lease, until, deadline)
select 3 * id - 1, 1, 'w' || (id % 100), 'many', null, 172800000, at + 172800000, null from temp.live where k = 99;

drop table temp.live;

insert into dead (id, lane, rev, epoch, attempt, at, cause)
select id, lane, 3, 1, 1, at, 'cause' || (id % 50) from many where k = 85 order by id;

insert into counters (lane, bucket, n)
select lane, bucket, count(*) from (
  select lane, case when k <= 84 then 7 when k = 85 then 8 when k = 86 then 9 when k <= 91 then 1
    when k <= 95 then 2 when k <= 98 then 4 else 6 end as bucket from many
  union all select lane, 3 from many where k = 95)
group by lane, bucket;

-- Where the sweep stands: a store that has been in use is swept up to its newest
-- facts, and what it would do at first is not what a list costs.
insert into meta (name, value) select 'seq', 3 * n from temp.size union all select 'rolled', 3 * n from temp.size
union all select 'kept_deleted', 3 * n from temp.size where true
on conflict (name) do update set value = excluded.value;

drop view many;
