"""Public benchmarks of retrieval, asked of the index and the ranking that `tacit recall` uses and of two plain ones.

A set is read into haystacks (`locomo`, `beam`, `commits`), `rankers` order their messages for each question, `scores`
says how good the orders are, `table` prints them beside what others have published (`published`). `data` says where
the sets come from; none of them is part of the project.
"""
