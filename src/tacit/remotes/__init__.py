"""The person's own machines: their logs meet on a remote that learns sizes and times only."""
