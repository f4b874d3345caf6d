-- Who acts is said in one place, membership can always be asked, restores are noticed, and operation can be watched.

do $$
begin
  execute format('set local role %I',
    (select pg_catalog.pg_get_userbyid(n.nspowner) from pg_catalog.pg_namespace n where n.nspname = 'tacit'));
end $$;

-- Who acts

create function tacit.person() returns name
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return session_user;
end $$;
comment on function tacit.person() is 'Who acts. Everything here asks this function.';
revoke all on function tacit.person() from public;
do $$
begin
  execute format('grant execute on function tacit.person() to %I', tacit.member_role());
end $$;

-- Only the answer to this one question changes in what is there, so it is replaced in the text of the functions.
do $$
declare
  asking record;
begin
  for asking in select p.oid from pg_catalog.pg_proc p
    where p.pronamespace = 'tacit'::regnamespace and p.proname <> 'person' and p.prosrc like '%session\_user%'
  loop
    execute replace(pg_catalog.pg_get_functiondef(asking.oid), 'session_user', 'tacit.person()');
  end loop;
end $$;

alter table tacit.event alter column author drop default; -- `stamp_event` gives it
alter policy members_write on tacit.event
  with check (
    author = (select tacit.person())
    and project = any ((select tacit.readable_projects())::text[])
    and case kind
      when 'proposed' then body is not null
      when 'withdrawn' then tacit.has_proposed(project, memory)
      when 'accepted' then tacit.is_curator()
      when 'declined' then tacit.is_curator()
      when 'retired' then tacit.is_curator()
      else false
    end
  );
alter policy purge_leaves_an_event on tacit.event
  with check (author = (select tacit.person()) and kind = 'purged' and tacit.is_purged(project, memory));
alter policy members_read on tacit.membership using (member = (select tacit.person()));

-- The check for a restored database asks for the latest events of a project. An index that also begins with the project
-- and goes on with something else is a choice that reads all of them.
drop index tacit.event_of_memory;
create index event_of_memory on tacit.event (memory, project);

-- What clients speak

create or replace function tacit.version() returns integer
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select 1
$$;
comment on function tacit.version() is
  'What members call and insert is as migration 1 made it, or has more. A migration that breaks clients raises this.';

-- Where numbers are given out: a server and a database. A dump that is loaded elsewhere brings numbers along that the
-- new place has not given out, and goes on beyond all of them. `team` tells clients that it is still the same team.

alter table tacit.numbering
  add column if not exists team uuid not null default gen_random_uuid(), -- there if version 1 was gone back to
  add column place text;

create function tacit.place() returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  server text := '';
begin
  if has_function_privilege('pg_control_system()', 'execute') then
    server := (select c.system_identifier from pg_control_system() c)::text;
  end if;
  return server || '/' || (select d.oid from pg_database d where d.datname = current_database());
end $$;
update tacit.numbering set place = tacit.place();

create function tacit.added() returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  here text;
  numbering record;
begin
  select n.added, n.place into numbering from tacit.numbering n;
  -- To read the server's identity takes longer than all the rest, so it is read once in a transaction that pushes.
  if exists (select from tacit.activity a where a.member = tacit.person() and a.last_push = now()) then
    return numbering.added;
  end if;
  here := tacit.place();
  if numbering.place is distinct from here and current_setting('transaction_read_only') = 'off' then
    -- Who comes second waits for the first one, and changes nothing.
    update tacit.numbering n set added = n.added + (1::bigint << 44), place = here where n.place is distinct from here;
    select n.added into numbering.added from tacit.numbering n;
  end if;
  return numbering.added;
end $$;
comment on function tacit.added() is
  'What is added to transaction ids here. Another server or database than before goes on beyond all earlier numbers.';

-- Membership can be asked by everybody who may connect: a removed member has to learn that they are none. It answers
-- about who asks, and which team this is.

create function tacit.whoami(out person name, out curator boolean, out projects text[], out team uuid)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  person := tacit.person();
  curator := tacit.is_curator();
  projects := tacit.readable_projects();
  team := n.team from tacit.numbering n;
  if projects <> '{}' then
    perform tacit.added();
  end if;
end $$;
comment on function tacit.whoami() is 'Who is connected, the projects of that person, and which team this is.';

create function tacit.lost(ids uuid[], xids xid8[], seqs bigint[]) returns integer
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  if pg_is_in_recovery() then -- a standby may lag behind what its clients have seen on the primary
    return 0;
  end if;
  return (select count(*) from unnest(ids, xids, seqs) known (id, xid, seq) where not exists (
    select from tacit.event e where e.id = known.id and e.xid = known.xid and e.seq = known.seq));
end $$;
comment on function tacit.lost(uuid[], xid8[], bigint[]) is
  'How many of these events are not, or not there, in the projects of who asks: more than none after a restore.';

create function tacit.held_back(
  out events bigint, out since timestamptz, out pid integer, out person name, out application text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  added constant bigint := n.added from tacit.numbering n;
  oldest constant bigint := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
begin
  select count(*), min(held.at) into events, since
    from unnest(tacit.readable_projects()) p (name), lateral (
      select e.at from tacit.event e where e.project = p.name and e.xid >= (oldest + added)::text::xid8 limit 1000
    ) held;
  if events > 0 then
    select holder.pid, holder.person, holder.application into pid, person, application from (
      select a.pid, a.usename, a.application_name, a.backend_xid from pg_stat_activity a
      union all select null, t.owner, 'prepared transaction ' || t.gid, t.transaction from pg_prepared_xacts t
    ) holder (pid, person, application, xid) where holder.xid::text::bigint = oldest & 4294967295;
  end if;
end $$;
comment on function tacit.held_back() is
  'Events of one''s projects that are not returned yet, since when, and the oldest transaction, which holds them back.';

-- What goes on, in numbers without texts: for limits, and for an administrator who watches the server.

create table tacit.setting (
  single boolean primary key default true check (single),
  proposals_a_day integer not null default 200 check (proposals_a_day >= 0)
);
insert into tacit.setting default values;

create table tacit.activity (
  member name not null,
  project text not null,
  events bigint not null default 0,
  day date not null default (now() at time zone 'utc')::date,
  proposals integer not null default 0,
  dropped bigint not null default 0,
  refused bigint not null default 0,
  refused_at timestamptz,
  last_push timestamptz,
  primary key (member, project)
) with (fillfactor = 50);
comment on column tacit.activity.proposals is 'On that day, by UTC.';
comment on column tacit.activity.dropped is 'Events about a purged memory, which are left out without an error.';
comment on column tacit.activity.refused is
  'How often the member''s client says that an event was refused. What is refused is undone, so nothing here saw it.';

create table tacit.waiting (
  project text not null,
  memory text not null,
  member name not null,
  event uuid not null,
  since timestamptz not null,
  primary key (project, memory, member)
);
comment on table tacit.waiting is 'Proposals that nobody has decided on, without their words.';

alter table tacit.event no force row level security;
insert into tacit.activity (member, project, events, last_push)
  select e.author, e.project, count(*), max(e.at) from tacit.event e group by 1, 2;
insert into tacit.waiting (project, memory, member, event, since)
  select distinct on (e.project, e.memory, e.author) e.project, e.memory, e.author, e.id, e.at from tacit.event e
  where e.kind = 'proposed' and not exists (
    select from tacit.event later where later.project = e.project and later.memory = e.memory
      and (later.xid, later.seq) > (e.xid, e.seq)
      and (later.kind in ('accepted', 'declined', 'purged') or later.kind = 'withdrawn' and later.author = e.author))
  order by e.project, e.memory, e.author, e.xid desc, e.seq desc;
alter table tacit.event force row level security;

create function tacit.count_event() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  today constant date := (now() at time zone 'utc')::date;
  proposed constant integer := case new.kind when 'proposed' then 1 else 0 end;
  most integer;
begin
  insert into tacit.activity as a (member, project, events, proposals, last_push)
    values (new.author, new.project, 1, proposed, now())
    on conflict (member, project) do update set events = a.events + 1, day = today, last_push = now(),
      proposals = case when a.day = today then a.proposals else 0 end + proposed;
  if new.kind = 'proposed' then
    -- What other connections of the same person have not committed yet is not counted.
    select s.proposals_a_day into most from tacit.setting s where s.proposals_a_day <
      (select sum(a.proposals) from tacit.activity a where a.member = new.author and a.day = today);
    if found then
      raise exception 'a member may propose % memories a day, and you have', most
        using errcode = 'program_limit_exceeded', hint = 'they wait at your side: sync again tomorrow (UTC)';
    end if;
    insert into tacit.waiting as w (project, memory, member, event, since)
      values (new.project, new.memory, new.author, new.id, new.at)
      on conflict (project, memory, member) do update set event = excluded.event, since = excluded.since;
  elsif new.kind = 'withdrawn' then
    delete from tacit.waiting w where w.project = new.project and w.memory = new.memory and w.member = new.author;
    if not found then -- or the limit of proposals would not limit events
      raise exception 'nothing that you proposed waits there' using errcode = 'insufficient_privilege';
    end if;
  elsif new.kind in ('declined', 'purged') or new.kind = 'accepted' and exists (
    select from tacit.waiting w
    where w.project = new.project and w.memory = new.memory and w.event::text = new.body ->> 'proposal'
  ) then
    -- A row that its member keeps locked is left: nobody delays a decision by proposing again in an open transaction.
    delete from tacit.waiting w using (
      select d.project, d.memory, d.member from tacit.waiting d
      where d.project = new.project and d.memory = new.memory for update skip locked
    ) decided where (w.project, w.memory, w.member) = (decided.project, decided.memory, decided.member);
  end if;
  return null;
end $$;
grant trigger on tacit.event to current_user; -- given up again below, as in migration 1
create trigger count_event after insert on tacit.event for each row execute function tacit.count_event();

create function tacit.report_refused(in_project text, times integer) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if in_project = any (tacit.readable_projects()) then
    insert into tacit.activity as a (member, project, refused, refused_at)
      values (tacit.person(), in_project, least(greatest(times, 0), 1000), now())
      on conflict (member, project) do update set refused = a.refused + excluded.refused, refused_at = now();
  end if;
end $$;
comment on function tacit.report_refused(text, integer) is 'A client says how many of its events were refused.';

create or replace function tacit.stamp_event() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  added bigint;
begin
  -- An older snapshot would not see a purge that was committed meanwhile.
  if current_setting('transaction_isolation') not in ('read committed', 'read uncommitted') then
    raise exception 'events are inserted in transactions that read what is committed'
      using errcode = 'invalid_transaction_state', hint = 'begin isolation level read committed';
  end if;
  added := tacit.added();
  new.author := tacit.person();
  new.at := now();
  new.xid := (pg_current_xact_id()::text::bigint + added)::text::xid8;
  if new.kind <> 'purged'
     and exists (select from tacit.tombstone t where t.project = new.project and t.memory = new.memory) then
    -- Somebody who has not heard of the purge must not bring the text back.
    update tacit.activity a set dropped = a.dropped + 1 where a.member = new.author and a.project = new.project;
    return null;
  end if;
  -- One statement, so that both sides are of one snapshot: a transaction that began and committed after another
  -- snapshot was taken would look as if it were of the future.
  if exists (
    select from tacit.event e where e.project = new.project
      and e.xid > greatest(new.xid, (pg_snapshot_xmax(pg_current_snapshot())::text::bigint + added)::text::xid8)
  ) then
    perform tacit.fail_as_restored();
  end if;
  return new;
end $$;

create function tacit.limit_proposals(a_day integer) returns void
language sql set search_path = pg_catalog, pg_temp as $$
  update tacit.setting set proposals_a_day = a_day
$$;
comment on function tacit.limit_proposals(integer) is 'How many memories a member may propose a day, 200 at first.';

-- For who watches the server: roles with the privileges of `pg_monitor`, which PostgreSQL has for this.

create view tacit.queue as
  select project, member, m.member is not null as is_listed, coalesce(a.events, 0) as events,
    coalesce(w.proposals, 0) as waiting, w.since as waiting_since,
    case when a.day = (now() at time zone 'utc')::date then a.proposals else 0 end as proposals_today,
    coalesce(a.dropped, 0) as dropped, coalesce(a.refused, 0) as refused, a.refused_at, a.last_push
  from tacit.membership m full join tacit.activity a using (project, member)
    left join (select w.project, w.member, count(*) as proposals, min(w.since) as since from tacit.waiting w group by 1, 2) w
      using (project, member);
comment on view tacit.queue is 'By project and member: what was pushed, what waits for a curator, and what was refused.';

create view tacit.horizon as
  select t.pid, t.role, t.application, t.database, t.since, now() - t.since as age, t.state,
    (n.added + x.newest - ((x.newest - t.xid::text::bigint) & 4294967295))::text::xid8 as holds_from
  from (
    select a.pid, a.usename, a.application_name, a.datname, a.xact_start, a.state, a.backend_xid
      from pg_catalog.pg_stat_activity a where a.backend_xid is not null
    union all
    select null, t.owner, 'prepared transaction ' || t.gid, t.database, t.prepared, 'prepared', t.transaction
      from pg_catalog.pg_prepared_xacts t
  ) t (pid, role, application, database, since, state, xid),
    (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as newest) x, tacit.numbering n
  order by holds_from;
comment on view tacit.horizon is
  'Transactions that write, on the whole server. The first one holds back every event from that transaction id on.';

create view tacit.size as
  select (select sum(a.events) from tacit.activity a) as events,
    (select count(distinct m.project) from tacit.membership m) as projects,
    (select count(distinct m.member) from tacit.membership m) as members,
    (select count(*) from tacit.waiting w) as waiting,
    pg_table_size('tacit.event'::regclass) as table_bytes, pg_indexes_size('tacit.event'::regclass) as index_bytes;
comment on view tacit.size is 'What the team has on this server.';

-- Who changed what: decisions are events, changes of membership are kept here.

create table tacit.membership_change (
  number bigint generated always as identity primary key,
  at timestamptz not null default now(),
  by name not null,
  change text not null check (change in ('added', 'removed', 'made member', 'made curator', 'no member', 'no curator')),
  member name not null,
  project text
);

create function tacit.note_change(change text, member name, project text) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into tacit.membership_change (by, change, member, project)
    values (tacit.person(), note_change.change, note_change.member, note_change.project)
$$;

create function tacit.note_membership() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op in ('UPDATE', 'DELETE') then
    perform tacit.note_change('removed', old.member, old.project);
  end if;
  if tg_op in ('INSERT', 'UPDATE') then
    perform tacit.note_change('added', new.member, new.project);
  end if;
  return null;
end $$;
create trigger note_membership after insert or update or delete on tacit.membership
  for each row execute function tacit.note_membership();

create or replace function tacit.grant_role(member name, curator boolean) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform tacit.note_change(case when curator then 'made curator' else 'made member' end, member, null);
  execute format('grant %I to %I', case when curator then tacit.curator_role() else tacit.member_role() end, member);
end $$;

create or replace function tacit.revoke_role(member name, curator boolean) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform tacit.note_change(case when curator then 'no curator' else 'no member' end, member, null);
  execute format('revoke %I from %I', case when curator then tacit.curator_role() else tacit.member_role() end, member);
end $$;

create function tacit.changes(most integer)
returns table (at timestamptz, by name, change text, project text, memory text, member name, reason text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  page constant integer := least(greatest(most, 1), 1000);
begin
  if not tacit.is_curator() then
    raise exception 'only a curator may read who decided what' using errcode = 'insufficient_privilege',
      hint = 'ask a curator of the project';
  end if;
  return query
    select found.* from unnest(tacit.readable_projects()) p (name), lateral (
      (select e.at, e.author, e.kind, e.project, e.memory, null::name, e.body ->> 'reason' from tacit.event e
        where e.project = p.name and e.kind in ('accepted', 'declined', 'retired', 'purged')
        order by e.xid desc, e.seq desc limit page)
      union all
      (select c.at, c.by, c.change, c.project, null, c.member, null from tacit.membership_change c
        where c.project = p.name order by c.number desc limit page)
    ) found
    order by 1 desc limit page;
end $$;
comment on function tacit.changes(integer) is
  'For curators: the latest decisions and changes of membership in their projects, and who made them.';
create index change_of_project on tacit.membership_change (project, number);

-- Privileges, as in migration 1: nobody has any but these.

alter table tacit.setting enable row level security;
alter table tacit.activity enable row level security;
alter table tacit.waiting enable row level security;
alter table tacit.membership_change enable row level security;
revoke all on all tables in schema tacit from public;
revoke all on all functions in schema tacit from public;
revoke trigger on tacit.event from current_user;
revoke update, delete, truncate on tacit.membership_change from current_user;

-- Who is no member needs no columns of these types, and a later migration could not change a table that has some.
do $$
declare
  relation record;
begin
  for relation in select c.oid::regclass as name from pg_catalog.pg_class c
    where c.relnamespace = 'tacit'::regnamespace and c.relkind in ('r', 'v')
  loop
    execute format('revoke usage on type %s from public', relation.name);
  end loop;
end $$;

grant usage on schema tacit to public;
grant execute on function tacit.whoami() to public;
grant select on tacit.queue, tacit.horizon, tacit.size to pg_monitor;
do $$
begin
  execute format('grant usage on type tacit.event to %I', tacit.member_role()); -- for functions of theirs
  execute format(
    'grant execute on function tacit.lost(uuid[], xid8[], bigint[]), tacit.held_back(),
       tacit.report_refused(text, integer), tacit.changes(integer) to %I', tacit.member_role());
end $$;
