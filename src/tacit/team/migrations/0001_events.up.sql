-- The team's tables: projects with their members, and an insert-only table of events.
--
-- Three group roles belong to the database (docs/adr/0066-roles-and-row-level-security-on-the-team-server.md):
--   tacit_DATABASE_owner    owns everything here and nobody logs in as it. It is no superuser, so row-level security,
--                           which is forced, holds inside its SECURITY DEFINER functions as well.
--   tacit_DATABASE_member   may insert events and call the functions that read them.
--   tacit_DATABASE_curator  a member that may also accept, decline and retire.
-- A person is a login role that was granted one of the last two. Who a person is, is always `session_user`: SET ROLE and
-- SECURITY DEFINER functions do not change it.
--
-- Every function fixes its search_path with pg_temp last and qualifies the names of its own schema, so that no object
-- of somebody else is taken for one of these. Those that are called for each row are written in PL/pgSQL, which plans
-- their queries once in a session; SQL functions with a fixed search_path are planned at every call.

do $$
declare
  prefix constant text := 'tacit_' || current_database();
  existing record;
begin
  if octet_length(prefix || '_curator') > 63 then
    raise exception 'the name of the database is too long: 49 bytes at most, because roles are named after it';
  end if;
  for existing in select rolname from pg_catalog.pg_roles
    where rolname in (prefix || '_owner', prefix || '_member', prefix || '_curator')
      and (rolsuper or rolbypassrls or rolcanlogin or rolcreaterole or rolcreatedb or rolreplication)
  loop
    raise exception 'the role % exists and has rights that a group role must not have', existing.rolname
      using hint = format('alter role %I nologin nosuperuser nobypassrls nocreaterole nocreatedb noreplication',
                          existing.rolname);
  end loop;
  if not exists (select from pg_catalog.pg_roles where rolname = prefix || '_owner') then
    execute format('create role %I nologin', prefix || '_owner');
  end if;
  if not exists (select from pg_catalog.pg_roles where rolname = prefix || '_member') then
    execute format('create role %I nologin', prefix || '_member');
  end if;
  if not exists (select from pg_catalog.pg_roles where rolname = prefix || '_curator') then
    execute format('create role %I nologin', prefix || '_curator');
  end if;
  if not pg_catalog.pg_has_role(prefix || '_curator', prefix || '_member', 'member') then
    execute format('grant %I to %I', prefix || '_member', prefix || '_curator');
  end if;
  -- An administrator who is no superuser has to be a member of the owner to act for it. From PostgreSQL 16 on, who
  -- creates a role is a member that may only grant it, so `member` would be true too early.
  if not pg_catalog.pg_has_role(prefix || '_owner', 'usage') then
    execute format('grant %I to %I', prefix || '_owner', current_user);
  end if;
  execute format('create schema tacit authorization %I', prefix || '_owner');
  execute format('set local role %I', prefix || '_owner');

  -- The names are written down, not computed at each call: a database can be renamed, or restored under another name.
  execute format('create function tacit.member_role() returns name language sql immutable as %L',
                 format('select %L::pg_catalog.name', prefix || '_member'));
  execute format('create function tacit.curator_role() returns name language sql immutable as %L',
                 format('select %L::pg_catalog.name', prefix || '_curator'));
end $$;

create table tacit.migration (
  number integer primary key,
  name text not null,
  hash text not null,
  applied_at timestamptz not null default now(),
  applied_by name not null default session_user
);

create table tacit.membership (
  project text not null check (octet_length(project) between 1 and 500),
  member name not null,
  since timestamptz not null default now(),
  primary key (member, project)
);

-- What is added to transaction ids. They start again at a low number where a dump is restored into a new cluster, and
-- go back where a backup is; `tacit.restored()` then adds enough to be beyond every number that was given out before.
create table tacit.numbering (
  single boolean primary key default true check (single),
  added bigint not null default 0 check (added >= 0)
);
insert into tacit.numbering default values;

create table tacit.event (
  seq bigint generated always as identity,
  xid xid8 not null default pg_current_xact_id(),
  id uuid primary key,
  project text not null,
  author name not null default session_user,
  at timestamptz not null default now(),
  kind text not null,
  memory text not null,
  body jsonb,
  constraint known_kind check (kind in ('proposed', 'withdrawn', 'accepted', 'declined', 'retired', 'purged')),
  constraint project_length check (octet_length(project) between 1 and 500),
  constraint memory_is_a_claim_id check (memory ~ '^[0-9a-z]{12}$'),
  constraint body_is_a_small_object check (
    body is null or (jsonb_typeof(body) = 'object' and octet_length(body::text) <= 16384)
  ),
  constraint proposal_has_a_sentence check (
    kind <> 'proposed' or body is null
    or coalesce(jsonb_typeof(body -> 'sentence') = 'string'
                and char_length(body ->> 'sentence') between 1 and 4000
                and jsonb_typeof(body -> 'kind') = 'string'
                and char_length(body ->> 'kind') between 1 and 40
                and jsonb_typeof(body -> 'tags') = 'array'
                and jsonb_array_length(body -> 'tags') <= 50, false)
  )
);
-- One range of this index is what `events_after` reads, however long the history is.
create index event_in_order on tacit.event (project, xid, seq);
-- For purging, and for looking up who proposed a memory.
create index event_of_memory on tacit.event (project, memory);
-- Only a purge leaves dead rows worth removing: vacuum soon after one, not after a fifth of the table has changed.
alter table tacit.event set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 0);

create table tacit.tombstone (
  project text not null,
  memory text not null,
  event uuid not null,
  primary key (project, memory)
);

-- Who asks, and what they may.

-- Direct grants only. Up to PostgreSQL 14 everybody may grant membership in their own role, and a curator could make
-- others curators that way.
create function tacit.has_role(person name, as_curator boolean) returns boolean
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  holder constant oid := to_regrole(quote_ident(person));
  curators constant oid := to_regrole(quote_ident(tacit.curator_role()));
  members constant oid := to_regrole(quote_ident(tacit.member_role()));
begin
  return exists (select from pg_auth_members granted where granted.roleid = curators and granted.member = holder)
    or not as_curator
    and exists (select from pg_auth_members granted where granted.roleid = members and granted.member = holder);
end $$;

create function tacit.readable_projects() returns text[]
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not tacit.has_role(session_user, false) then
    return '{}';
  end if;
  return coalesce((select array_agg(m.project) from tacit.membership m where m.member = session_user), '{}');
end $$;
comment on function tacit.readable_projects() is 'The projects of the person who is connected.';

create function tacit.is_curator() returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return tacit.has_role(session_user, true);
end $$;
comment on function tacit.is_curator() is 'Whether the person who is connected may decide in their projects.';

create function tacit.has_proposed(in_project text, of_memory text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  return exists (select from tacit.event e
    where e.project = in_project and e.memory = of_memory and e.kind = 'proposed' and e.author = session_user);
end $$;
comment on function tacit.has_proposed(text, text) is 'Whether the person who is connected proposed this memory.';

create function tacit.is_purged(in_project text, of_memory text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  return exists (select from tacit.tombstone t where t.project = in_project and t.memory = of_memory);
end $$;

create function tacit.my_projects() returns table (project text, curator boolean)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select p, tacit.is_curator() from unnest(tacit.readable_projects()) p order by p
$$;
comment on function tacit.my_projects() is 'The projects of the person who is connected, and whether they may decide there.';

create function tacit.version() returns integer
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select max(m.number) from tacit.migration m
$$;
comment on function tacit.version() is 'The number of the latest migration that was applied.';

-- Row-level security. It is forced on what holds texts, so it binds the owner, too.

alter table tacit.event enable row level security;
alter table tacit.event force row level security;
alter table tacit.tombstone enable row level security;
alter table tacit.tombstone force row level security;
alter table tacit.membership enable row level security;
alter table tacit.numbering enable row level security;
alter table tacit.migration enable row level security;

-- The subquery makes it one call for each query instead of one for each row.
create policy members_read on tacit.event for select
  using (project = any ((select tacit.readable_projects())::text[]));
create policy members_write on tacit.event for insert
  with check (
    author = session_user
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
-- What `tacit.purge` needs, and no more: where a tombstone is, its event may be written and texts may be removed.
create policy purge_leaves_an_event on tacit.event for insert to current_user
  with check (author = session_user and kind = 'purged' and tacit.is_purged(project, memory));
create policy purge_removes_bodies on tacit.event for update to current_user
  using (tacit.is_purged(project, memory))
  with check (body is null);
create policy members_read on tacit.tombstone for select to current_user
  using (project = any ((select tacit.readable_projects())::text[]));
create policy purge_leaves_a_tombstone on tacit.tombstone for insert to current_user
  with check (project = any ((select tacit.readable_projects())::text[]));
create policy members_read on tacit.membership for select using (member = session_user);

-- Inserting. The server says who, when and in which transaction, whatever the statement says.

create function tacit.stamp_event() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  added constant bigint := n.added from tacit.numbering n;
begin
  -- An older snapshot would not see a purge that was committed meanwhile.
  if current_setting('transaction_isolation') not in ('read committed', 'read uncommitted') then
    raise exception 'events are inserted in transactions that read what is committed'
      using errcode = 'invalid_transaction_state', hint = 'begin isolation level read committed';
  end if;
  new.author := session_user;
  new.at := now();
  new.xid := (pg_current_xact_id()::text::bigint + added)::text::xid8;
  if new.kind <> 'purged'
     and exists (select from tacit.tombstone t where t.project = new.project and t.memory = new.memory) then
    return null; -- somebody who has not heard of the purge must not bring the text back
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

create function tacit.fail_as_restored() returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception 'this database was restored from a backup, and its transaction ids have gone back'
    using errcode = 'object_not_in_prerequisite_state',
      hint = 'its administrator runs: tacit team setup URL --restored';
end $$;

create function tacit.refuse_change() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op = 'UPDATE' then
    if new.body is null and row (new.seq, new.xid, new.id, new.project, new.author, new.at, new.kind, new.memory)
       is not distinct from row (old.seq, old.xid, old.id, old.project, old.author, old.at, old.kind, old.memory) then
      return new;
    end if;
  end if;
  raise exception 'events are never changed or deleted' using errcode = 'insufficient_privilege',
    hint = 'select tacit.purge(EVENT, REASON) removes the texts of a memory';
end $$;

create trigger stamp_event before insert on tacit.event for each row execute function tacit.stamp_event();
create trigger keep_events before update on tacit.event for each row execute function tacit.refuse_change();
-- These bind superusers, too, unless they switch triggers off.
create trigger keep_all before delete or truncate on tacit.event
  for each statement execute function tacit.refuse_change();

-- Reading.

create function tacit.events_after(after_xid xid8, after_seq bigint, most integer) returns setof tacit.event
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  projects constant text[] := tacit.readable_projects();
  added constant bigint := n.added from tacit.numbering n;
  snapshot constant pg_snapshot := pg_current_snapshot();
  horizon constant xid8 := (pg_snapshot_xmin(snapshot)::text::bigint + added)::text::xid8;
  beyond constant xid8 := (pg_snapshot_xmax(snapshot)::text::bigint + added)::text::xid8;
  own constant xid8 := (pg_current_xact_id_if_assigned()::text::bigint + added)::text::xid8;
  page constant integer := least(greatest(most, 1), 10000);
begin
  -- A standby may lag behind what its clients have seen on the primary.
  if after_xid > beyond and not pg_is_in_recovery() or exists (
    select from unnest(projects) p (name), lateral (
      select from tacit.event e where e.project = p.name and e.xid >= beyond and e.xid is distinct from own limit 1
    ) later
  ) then
    perform tacit.fail_as_restored();
  end if;
  -- Only transactions below the horizon: all of them have ended, so nothing can still appear before what is returned.
  -- Each project is one range of the index, read up to the limit.
  return query
    select e.* from unnest(projects) p (name), lateral (
      select * from tacit.event e
      where e.project = p.name and (e.xid, e.seq) > (after_xid, after_seq) and e.xid < horizon
      order by e.xid, e.seq limit page
    ) e
    order by e.xid, e.seq limit page;
end $$;
comment on function tacit.events_after(xid8, bigint, integer) is
  'Events of the projects of the person who is connected, in the order (xid, seq), after a position in it.';

-- Purging.

create function tacit.purge(event uuid, reason text) returns uuid
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '10s' as $$
declare
  target record;
  purged uuid;
begin
  if current_setting('transaction_isolation') not in ('read committed', 'read uncommitted') then
    raise exception 'a purge runs in a transaction that reads what is committed'
      using errcode = 'invalid_transaction_state', hint = 'begin isolation level read committed';
  end if;
  -- Wait for inserts under way, so that the statements below see them, and keep new ones out until the tombstone is
  -- there.
  lock table tacit.event in share row exclusive mode;
  select e.project, e.memory into target from tacit.event e where e.id = purge.event;
  if not found then
    raise exception 'there is no such event in your projects' using errcode = 'no_data_found';
  end if;
  -- Who proposed it first, so that nobody gets this right by proposing what others have proposed.
  if not tacit.is_curator() and session_user is distinct from (
    select e.author from tacit.event e
    where e.project = target.project and e.memory = target.memory and e.kind = 'proposed'
    order by e.xid, e.seq limit 1
  ) then
    raise exception 'only a curator or who proposed this memory first may purge it'
      using errcode = 'insufficient_privilege', hint = 'ask a curator of the project';
  end if;
  select t.event into purged from tacit.tombstone t where t.project = target.project and t.memory = target.memory;
  if found then
    return purged;
  end if;
  purged := gen_random_uuid();
  insert into tacit.tombstone (project, memory, event) values (target.project, target.memory, purged);
  update tacit.event e set body = null
    where e.project = target.project and e.memory = target.memory and e.body is not null;
  insert into tacit.event (id, project, kind, memory, body)
    values (purged, target.project, 'purged', target.memory,
            jsonb_build_object('reason', left(coalesce(reason, ''), 500)));
  return purged;
end $$;
comment on function tacit.purge(uuid, text) is
  'Remove the texts of all events of a memory and leave a tombstone. For curators, and for who proposed it first.';

-- For administrators.

create function tacit.add_member(project text, member name) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from pg_roles r where r.rolname = add_member.member) then
    raise exception 'there is no role %', quote_ident(add_member.member) using errcode = 'undefined_object',
      hint = format('create role %I login', add_member.member);
  end if;
  if not tacit.has_role(add_member.member, false) then
    raise exception 'the role % is no member of the team', quote_ident(add_member.member)
      using errcode = 'insufficient_privilege',
        hint = format('grant %I to %I', tacit.member_role(), add_member.member);
  end if;
  insert into tacit.membership (project, member) values (add_member.project, add_member.member) on conflict do nothing;
end $$;

create function tacit.remove_member(project text, member name) returns void
language sql set search_path = pg_catalog, pg_temp as $$
  delete from tacit.membership m where m.project = remove_member.project and m.member = remove_member.member
$$;

-- These two run with the rights of who calls them: GRANT asks for the right to grant.
create function tacit.grant_role(member name, curator boolean) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  execute format('grant %I to %I', case when curator then tacit.curator_role() else tacit.member_role() end, member);
end $$;

create function tacit.revoke_role(member name, curator boolean) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  execute format('revoke %I from %I', case when curator then tacit.curator_role() else tacit.member_role() end, member);
end $$;

create function tacit.restored() returns void
language sql set search_path = pg_catalog, pg_temp as $$
  update tacit.numbering set added = added + (1::bigint << 44)
$$;
comment on function tacit.restored() is
  'To be called once after the database was restored: numbers of transactions go on beyond all that were given out.';

-- Privileges. Nobody has any but these; the owner gives up what nothing here needs.

revoke all on all tables in schema tacit from public;
revoke all on all functions in schema tacit from public;
revoke delete, truncate, references, trigger on tacit.event, tacit.tombstone from current_user;
revoke update on tacit.tombstone from current_user;

do $$
begin
  execute format('grant usage on schema tacit to %I', tacit.member_role());
  execute format('grant insert (id, project, kind, memory, body) on tacit.event to %I', tacit.member_role());
  execute format(
    'grant execute on function tacit.version(), tacit.my_projects(), tacit.readable_projects(), tacit.is_curator(),
       tacit.has_proposed(text, text), tacit.events_after(xid8, bigint, integer), tacit.purge(uuid, text) to %I',
    tacit.member_role());
end $$;

