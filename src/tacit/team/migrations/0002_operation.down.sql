-- Takes down what 0002_operation.up.sql built. Events and memberships stay.
do $$
begin
  execute format('set local role %I',
    (select pg_catalog.pg_get_userbyid(n.nspowner) from pg_catalog.pg_namespace n where n.nspname = 'tacit'));
end $$;

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
