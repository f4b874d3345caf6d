"""What the doctor looks at, one file each: `check(store)` yields findings and changes nothing."""
