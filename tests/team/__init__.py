"""The team on a real PostgreSQL server: schema, roles and what each role can reach."""
