"""What hosts and shells start: each reads one event, calls one feature, and always exits with 0."""
