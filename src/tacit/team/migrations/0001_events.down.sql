-- Takes down what 0001_events.up.sql built, its roles included. All events are lost.
--
-- Without CASCADE: if something else depends on these, such as somebody's view, the server says so and nothing is lost.
drop function tacit.restored();
drop function tacit.revoke_role(name, boolean);
drop function tacit.grant_role(name, boolean);
drop function tacit.remove_member(text, name);
drop function tacit.add_member(text, name);
drop function tacit.purge(uuid, text);
drop function tacit.events_after(xid8, bigint, integer);
drop table tacit.event;
drop function tacit.refuse_change();
drop function tacit.stamp_event();
drop function tacit.fail_as_restored();
drop table tacit.tombstone;
drop function tacit.version();
drop function tacit.my_projects();
drop function tacit.is_purged(text, text);
drop function tacit.has_proposed(text, text);
drop function tacit.is_curator();
drop policy members_read on tacit.membership;
drop function tacit.readable_projects();
drop function tacit.has_role(name, boolean);
drop table tacit.numbering;
drop table tacit.membership;
drop table tacit.migration;

do $$
declare
  owner constant name := pg_catalog.pg_get_userbyid(nspowner) from pg_catalog.pg_namespace where nspname = 'tacit';
  member constant name := tacit.member_role();
  curator constant name := tacit.curator_role();
begin
  drop function tacit.curator_role();
  drop function tacit.member_role();
  drop schema tacit;
  execute format('drop role %I, %I, %I', curator, member, owner);
end $$;
