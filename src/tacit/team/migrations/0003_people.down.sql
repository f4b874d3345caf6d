-- Everybody needs a role again: who has none is not let in, and their right to decide is forgotten.
do $$
begin
  execute format('set local role %I',
    (select pg_catalog.pg_get_userbyid(n.nspowner) from pg_catalog.pg_namespace n where n.nspname = 'tacit'));
end $$;

create or replace function tacit.revoke_role(member name, curator boolean) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform tacit.note_change(case when curator then 'no curator' else 'no member' end, member, null);
  execute format('revoke %I from %I', case when curator then tacit.curator_role() else tacit.member_role() end, member);
end $$;

create or replace function tacit.grant_role(member name, curator boolean) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform tacit.note_change(case when curator then 'made curator' else 'made member' end, member, null);
  execute format('grant %I to %I', case when curator then tacit.curator_role() else tacit.member_role() end, member);
end $$;

create or replace function tacit.add_member(project text, member name) returns void
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

create or replace function tacit.has_role(person name, as_curator boolean) returns boolean
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

create or replace function tacit.person() returns name
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return session_user;
end $$;

drop function tacit.takes_person(text);
drop function tacit.create_login(name);
drop function tacit.let_people_in(text);
drop function tacit.is_person_name(text);
drop table tacit.person_grant;
alter table tacit.setting drop column people;

reset role;
do $$
declare
  people constant name := tacit.people_role();
begin
  if to_regrole(quote_ident(people)) is not null then
    execute format('drop role %I', people);
  end if;
end $$;
drop function tacit.people_role();
