-- Limits, counters and the record of who changed the membership are lost. Events and memberships stay.
do $$
begin
  execute format('set local role %I',
    (select pg_catalog.pg_get_userbyid(n.nspowner) from pg_catalog.pg_namespace n where n.nspname = 'tacit'));
end $$;

revoke usage on schema tacit from public;
do $$
begin
  execute format('revoke usage on type tacit.event from %I', tacit.member_role());
end $$;
grant usage on type tacit.event, tacit.migration, tacit.membership, tacit.numbering, tacit.tombstone to public;
drop function tacit.changes(integer);
drop trigger note_membership on tacit.membership;
drop function tacit.note_membership();
create or replace function tacit.grant_role(member name, curator boolean) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  execute format('grant %I to %I', case when curator then tacit.curator_role() else tacit.member_role() end, member);
end $$;

create or replace function tacit.revoke_role(member name, curator boolean) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  execute format('revoke %I from %I', case when curator then tacit.curator_role() else tacit.member_role() end, member);
end $$;

drop function tacit.note_change(text, name, text);
drop table tacit.membership_change;
drop view tacit.size, tacit.horizon, tacit.queue;
drop function tacit.limit_proposals(integer);
create or replace function tacit.stamp_event() returns trigger
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

drop function tacit.report_refused(text, integer);
drop trigger count_event on tacit.event;
drop function tacit.count_event();
drop table tacit.waiting, tacit.activity, tacit.setting;
drop function tacit.held_back();
drop function tacit.lost(uuid[], xid8[], bigint[]);
drop function tacit.whoami();
drop function tacit.added();
drop function tacit.place();
alter table tacit.numbering drop column place; -- `team` stays: it is still the same team when the schema comes back

create or replace function tacit.version() returns integer
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select max(m.number) from tacit.migration m
$$;
comment on function tacit.version() is 'The number of the latest migration that was applied.';

alter policy members_read on tacit.membership using (member = session_user);
alter policy purge_leaves_an_event on tacit.event
  with check (author = session_user and kind = 'purged' and tacit.is_purged(project, memory));
alter policy members_write on tacit.event
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
alter table tacit.event alter column author set default session_user;
do $$
declare
  asking record;
begin
  for asking in select p.oid from pg_catalog.pg_proc p
    where p.pronamespace = 'tacit'::regnamespace and p.prosrc like '%tacit.person()%'
  loop
    execute replace(pg_catalog.pg_get_functiondef(asking.oid), 'tacit.person()', 'session_user');
  end loop;
end $$;
drop function tacit.person();

drop index tacit.event_of_memory;
create index event_of_memory on tacit.event (project, memory);
