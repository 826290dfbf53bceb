-- enqueue() is for programs in any language that enqueue as part of their own
-- transaction. It writes what EnqueueTx writes: the task, its key and a row in
-- the inbox; the mover does the rest. It needs no right but to use the schema.

-- The caller's transaction may stay open for as long as it likes. If it waited
-- for, or held, a unique name of a lane, all who enqueue into that lane for the
-- first time would wait for it too. So a lane may stand here twice; claims and
-- counts merge lanes by name anyway.
alter table lanes drop constraint lanes_queue_type_project_prio_key;
create index lanes_name on lanes (queue, type, project, prio);

create function refuse(what text, how text default null) returns void
language plpgsql as $$
begin
  raise exception using errcode = '22023', message = what,
    hint = coalesce(how, 'docs/guides/postgres.md lists what enqueue() takes');
end $$;

-- How deep arrays and objects are nested in a text that is valid JSON.
create function nesting(payload text) returns bigint
language sql immutable as $$
  select coalesce(max(depth), 0) from (
    select sum(case when c in ('{', '[') then 1 else -1 end) over (order by ord) depth
    from regexp_split_to_table(regexp_replace(regexp_replace(payload, '"(\\.|[^"\\])*"', '', 'g'), '[^][{}]', '', 'g'), '')
      with ordinality t(c, ord) where c <> '') d
$$;

create function check_label(field text, value text, longest int) returns void
language plpgsql immutable as $$
begin
  if octet_length(value) > longest then
    perform refuse(format('%s: is %s bytes, the limit is %s', field, octet_length(value), longest));
  elsif value ~ '[\x01-\x1f\x7f-\x9f]' then
    perform refuse(format('%s: has a control character', field));
  end if;
end $$;

create function check_new(type text, payload text, queue text, project text, priority int, delay interval, run_at timestamptz,
  max_attempts int, timeout interval, key text, deps bigint[], tags text[]) returns void
language plpgsql stable as $$
begin
  perform check_label('type', type, 64), check_label('project', project, 128), check_label('key', key, 200),
    check_label('tags', t, 64) from unnest(coalesce(tags, '{}') || ''::text) t;
  case
    when coalesce(type, '') = '' then perform refuse('type: is required');
    when queue !~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$' then
      perform refuse(format('queue: "%s" is not a queue name: 1 to 128 letters, digits and ._:/-, the first a letter or digit', queue));
    when octet_length(payload) > 131072 then
      perform refuse(format('payload: is %s bytes, the limit is 131072', octet_length(payload)), 'keep it elsewhere and send its address');
    when nesting(payload) > 128 then perform refuse('payload: is nested deeper than 128');
    when priority not between -32768 and 32767 then perform refuse(format('priority: is %s, want -32768 to 32767', priority));
    when delay is not null and run_at is not null then perform refuse('run_at: give delay or run_at, not both');
    when extract(epoch from delay) not between 0 and 31536000 then perform refuse('delay: want 0 to 365 days');
    when max_attempts not between 1 and 1000 then perform refuse(format('max_attempts: is %s, want 1 to 1000', max_attempts));
    when extract(epoch from timeout) not between 0 and 604800 then perform refuse('timeout: want 0 to 7 days');
    when cardinality(deps) > 1000 then perform refuse(format('deps: are %s, the limit is 1000', cardinality(deps)));
    when cardinality(tags) > 20 then perform refuse(format('tags: are %s, the limit is 20', cardinality(tags)));
    when exists (select from unnest(tags) t where coalesce(t, '') = '') then perform refuse('tags: one is empty');
    else null;
  end case;
end $$;

create function lane_of(a_queue text, a_type text, a_project text, a_prio smallint) returns int
language plpgsql as $$
declare found_lane int;
begin
  select l.id into found_lane from lanes l
    where (l.queue, l.type, l.project, l.prio) = (a_queue, a_type, a_project, a_prio) order by l.id limit 1;
  if found_lane is null then
    insert into lanes (queue, type, project, prio) values (a_queue, a_type, a_project, a_prio) returning id into found_lane;
  end if;
  return found_lane;
end $$;

create function enqueue(
  type           text,
  payload        json        default null,
  queue          text        default 'default',
  project        text        default '',
  priority       int         default 0,
  delay          interval    default null,
  run_at         timestamptz default null,
  max_attempts   int         default 3,
  timeout        interval    default null,
  key            text        default null,
  key_until      text        default 'deleted',
  on_mismatch    text        default 'existing',
  deps           bigint[]    default null,
  on_dep_failure text        default 'block',
  parent         bigint      default null,
  tags           text[]      default null
) returns bigint
language plpgsql security definer set search_path from current as $$
#variable_conflict use_column
declare
  body    text := btrim(enqueue.payload::text, E' \t\r\n');
  asked   bigint[] := (select array_agg(distinct d order by d) from unnest(enqueue.deps) d);
  until   smallint := array_position(array['deleted', 'terminal'], enqueue.key_until) - 1;
  policy  smallint := array_position(array['block', 'cancel', 'run'], enqueue.on_dep_failure) - 1;
  now_ms  bigint := extract(epoch from clock_timestamp()) * 1000;
  due_ms  bigint;
  a_key   text := nullif(enqueue.key, '');
  hash    bytea;
  task    bigint;
  stored  bytea;
  missing bigint;
begin
  perform check_new(enqueue.type, body, enqueue.queue, enqueue.project, enqueue.priority, enqueue.delay, enqueue.run_at,
    enqueue.max_attempts, enqueue.timeout, a_key, asked, enqueue.tags);
  if until is null then perform refuse('key_until: want deleted or terminal'); end if;
  if policy is null then perform refuse('on_dep_failure: want block, cancel or run'); end if;
  if enqueue.on_mismatch not in ('existing', 'error') then perform refuse('on_mismatch: want existing or error'); end if;
  -- A bare value is a command line, as it is everywhere for type sh.
  if enqueue.type = 'sh' and not (json_typeof(enqueue.payload) = 'string'
    or json_typeof(enqueue.payload) = 'object' and enqueue.payload -> 'cmd' is not null) then
    body := to_json(body)::text;
  end if;
  hash := substring(sha256(convert_to(enqueue.type, 'UTF8') || '\x00' || convert_to(coalesce(body, ''), 'UTF8') || '\x00'
    || int8send(enqueue.priority) || int8send(enqueue.max_attempts)
    || coalesce((select string_agg(int8send(d), ''::bytea order by d) from unnest(asked) d), '')), 1, 16);
  if a_key is not null then
    select k.task_id, t.key_body into task, stored from keys k join tasks t on t.id = k.task_id
      where k.queue = enqueue.queue and k.key = a_key;
  end if;
  if task is null then
    select d into missing from unnest(asked || nullif(enqueue.parent, 0)) d where d is not null and not exists (select from tasks t where t.id = d) limit 1;
    if missing is not null then
      perform refuse(format('there is no task %s to wait for', missing), 'enqueue it first');
    end if;
    task := nextval('task_ids');
    if a_key is not null then
      insert into keys (queue, key, task_id) values (enqueue.queue, a_key, task) on conflict do nothing;
      if not found then -- somebody else was first, and has committed since
        select k.task_id, t.key_body into task, stored from keys k join tasks t on t.id = k.task_id
          where k.queue = enqueue.queue and k.key = a_key;
      end if;
    end if;
  end if;
  if stored is not null then
    if stored <> hash and enqueue.on_mismatch = 'error' then
      perform refuse(format('key "%s" belongs to task %s, which is another one', a_key, task), 'use a key of its own for each task');
    end if;
    return task;
  end if;
  due_ms := greatest(now_ms, case when enqueue.run_at is not null then extract(epoch from enqueue.run_at) * 1000
    else now_ms + coalesce(extract(epoch from enqueue.delay), 0) * 1000 end);
  insert into tasks (id, lane, max_attempts, created_at, run_at, timeout, parent, key, key_body, key_until, on_dep, deps, tags, payload)
    values (task, lane_of(enqueue.queue, enqueue.type, enqueue.project, (-1 - enqueue.priority)::smallint), enqueue.max_attempts,
      now_ms, due_ms, coalesce(extract(epoch from enqueue.timeout), 0) * 1000, nullif(enqueue.parent, 0), a_key,
      case when a_key is not null then hash end, until, policy,
      case when asked is not null then '[' || array_to_string(asked, ',') || ']' end,
      case when cardinality(enqueue.tags) > 0 then to_json(enqueue.tags)::text end, body);
  insert into inbox (id) values (task);
  return task;
end $$;
