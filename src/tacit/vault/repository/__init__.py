"""What a repository brought, and the trust of a person in it."""
