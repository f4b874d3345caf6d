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

-- What clients speak

create or replace function tacit.version() returns integer
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select 1
$$;
comment on function tacit.version() is
  'What members call and insert is as migration 1 made it, or has more. A migration that breaks clients raises this.';
