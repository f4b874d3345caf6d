"""A team's memories of a project, shared through a PostgreSQL server."""
