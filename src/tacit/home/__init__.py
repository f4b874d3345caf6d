"""One home on the disk: paths, settings, actor, project, and the store that keeps log, index and pages in step."""
