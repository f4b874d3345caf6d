-- People without a role of their own: a certificate or a directory says who is connected through one shared role.
--
-- They log in as tacit_DATABASE_people, which `tacit.let_people_in` creates. PostgreSQL has checked who they are before
-- that, and `tacit.person` reads it from where only the server writes: the verified certificate or Kerberos principal of
-- this connection, and from PostgreSQL 16 on SYSTEM_USER. What stands around the name there is compared with a pattern of the administrator's,
-- so that it is the whole subject that counts. A name is ASCII and never that of a role: neither a certificate nor a
-- directory can make somebody an administrator, or a person who logs in by a role.

do $$
declare
  owner constant name := pg_catalog.pg_get_userbyid(nspowner) from pg_catalog.pg_namespace where nspname = 'tacit';
begin
  execute format('set local role %I', owner);
  execute format('create function tacit.people_role() returns name language sql immutable as %L',
                 format('select %L::pg_catalog.name', regexp_replace(tacit.member_role(), '_member$', '_people')));
end $$;

-- What the server says of a person, with NAME for their name: cert:/O=Acme/CN=NAME, gss:NAME@ACME.EXAMPLE
alter table tacit.setting add column people text
  check (people ~ '^[a-z0-9-]+:' and array_length(string_to_array(people, 'NAME'), 1) = 2);

-- What the group roles are for who has a role.
create table tacit.person_grant (
  person name primary key,
  curator boolean not null
);

create function tacit.is_person_name(name text) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select octet_length(name) <= 63 and name ~ '^[A-Za-z0-9._@-]+( [A-Za-z0-9._@-]+)*$'
$$;

create or replace function tacit.person() returns name
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  around text[]; -- what stands before and after the name
  subject text; -- of a certificate
  principal text; -- of Kerberos
  method_and_name text; -- SYSTEM_USER
  shown text;
  found text;
begin
  if session_user <> tacit.people_role() then
    return session_user;
  end if;
  around := string_to_array(s.people, 'NAME') from tacit.setting s;
  -- The owner is a member of the shared role, so it is told this of that role's sessions.
  select c.client_dn into subject from pg_stat_ssl c where c.pid = pg_backend_pid();
  select g.principal into principal from pg_stat_gssapi g where g.pid = pg_backend_pid();
  if current_setting('server_version_num')::integer >= 160000 then
    execute 'select system_user' into method_and_name;
  end if;
  -- The views cut to 63 bytes: one of that length may have been longer.
  foreach shown in array array[
    case when octet_length(subject) < 63 then 'cert:' || subject end,
    case when octet_length(principal) < 63 then 'gss:' || principal end,
    method_and_name
  ] loop
    found := substr(shown, length(around[1]) + 1, greatest(length(shown) - length(around[1]) - length(around[2]), 0));
    if around[1] || found || around[2] = shown and tacit.is_person_name(found)
       and to_regrole(quote_ident(found)) is null then
      return found;
    end if;
  end loop;
  raise exception 'you came as %, which is nobody here',
      coalesce('cert:' || subject, 'gss:' || principal, method_and_name, 'somebody without a certificate')
    using errcode = 'invalid_authorization_specification', hint = 'ask the administrator of the team''s server';
end $$;

create or replace function tacit.has_role(person name, as_curator boolean) returns boolean
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  holder constant oid := to_regrole(quote_ident(person));
  curators constant oid := to_regrole(quote_ident(tacit.curator_role()));
  members constant oid := to_regrole(quote_ident(tacit.member_role()));
begin
  if holder is null then
    return exists (select from tacit.person_grant granted
                   where granted.person = has_role.person and (granted.curator or not as_curator));
  end if;
  return exists (select from pg_auth_members granted where granted.roleid = curators and granted.member = holder)
    or not as_curator
    and exists (select from pg_auth_members granted where granted.roleid = members and granted.member = holder);
end $$;

-- For administrators

create function tacit.let_people_in(pattern text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  people constant name := tacit.people_role();
  owner constant name := pg_get_userbyid(n.nspowner) from pg_namespace n where n.nspname = 'tacit';
begin
  if pattern is null then
    if to_regrole(quote_ident(people)) is not null then
      execute format('alter role %I nologin', people);
    end if;
  else
    if to_regrole(quote_ident(people)) is null then
      execute format('create role %I login', people);
    elsif exists (select from pg_roles r where r.rolname = people
                  and (r.rolsuper or r.rolbypassrls or r.rolcreaterole or r.rolcreatedb or r.rolreplication)) then
      raise exception 'the role % exists and has rights that a shared role must not have', people;
    end if;
    execute format('alter role %I login', people);
    execute format('grant %I to %I', tacit.member_role(), people);
    execute format('grant %I to %I', people, owner);
  end if;
  update tacit.setting set people = pattern;
end $$;
comment on function tacit.let_people_in(text) is
  'Take the name of who logs in by the shared role from what the server says of them; null ends that.';

create function tacit.create_login(member name) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  execute format('create role %I login', member);
end $$;

create function tacit.takes_person(name text) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
  select tacit.is_person_name(name) and s.people is not null from tacit.setting s
$$;
comment on function tacit.takes_person(text) is 'Whether somebody of this name, who has no role, could be connected.';

create or replace function tacit.add_member(project text, member name) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if to_regrole(quote_ident(add_member.member)) is null and not tacit.takes_person(add_member.member) then
    raise exception 'there is no role %', quote_ident(add_member.member) using errcode = 'undefined_object',
      hint = format('create role %I login', add_member.member);
  end if;
  if not tacit.has_role(add_member.member, false) then
    raise exception '% is no member of the team', quote_ident(add_member.member)
      using errcode = 'insufficient_privilege', hint = format('select tacit.grant_role(%L, false)', add_member.member);
  end if;
  insert into tacit.membership (project, member) values (add_member.project, add_member.member) on conflict do nothing;
end $$;

create or replace function tacit.grant_role(member name, curator boolean) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform tacit.note_change(case when curator then 'made curator' else 'made member' end, member, null);
  if to_regrole(quote_ident(member)) is null and tacit.takes_person(member) then
    insert into tacit.person_grant as g (person, curator) values (member, grant_role.curator)
      on conflict (person) do update set curator = g.curator or excluded.curator;
  else
    execute format('grant %I to %I', case when curator then tacit.curator_role() else tacit.member_role() end, member);
  end if;
end $$;

create or replace function tacit.revoke_role(member name, curator boolean) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform tacit.note_change(case when curator then 'no curator' else 'no member' end, member, null);
  if to_regrole(quote_ident(member)) is not null then
    execute format('revoke %I from %I', case when curator then tacit.curator_role() else tacit.member_role() end, member);
  elsif revoke_role.curator then
    update tacit.person_grant g set curator = false where g.person = revoke_role.member;
  else
    delete from tacit.person_grant g where g.person = revoke_role.member;
  end if;
end $$;

-- Privileges, as in migration 1: nobody has any but these.

alter table tacit.person_grant enable row level security;
revoke all on tacit.person_grant from public;
revoke usage on type tacit.person_grant from public;
revoke all on function tacit.people_role(), tacit.is_person_name(text), tacit.let_people_in(text),
  tacit.create_login(name), tacit.takes_person(text) from public;
