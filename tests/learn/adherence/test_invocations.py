"""Which commands a line runs: through wrappers and chains, never in quotes, here-documents or patterns."""

from __future__ import annotations

import pytest

from tacit.learn.adherence.invocations import invocations


def families(line: str) -> list[str]:
    return [invocation.family for invocation in invocations(line)]


@pytest.mark.parametrize(
    "line",
    [
        "npm install",
        "sudo npm install",
        "sudo -u web env CI=1 npm install",
        "time npm install zod",
        "cd web && npm install",
        "(cd web; npm install) | tee log",
        "echo zod | xargs -n 1 npm install",
        "bash -lc 'cd web && npm install'",
        "timeout 60 npm install || true",
        "if test -f x; then npm install; fi",
        "/usr/bin/npm i",
        "NODE_ENV=test nohup npm install &",
        "npm install --save-dev 'zod…",
        'make lint && npm install && git commit -m "a long message that was cut of…',
    ],
)
def test_a_command_is_found_through_whatever_wraps_it(line: str) -> None:
    assert "npm install" in families(line)


@pytest.mark.parametrize(
    "line",
    [
        "grep -rn 'npm install' docs",
        'git commit -m "npm install is gone"',
        "git commit -m \"$(cat <<'EOF'\nnpm install\nEOF\n)\"",
        "cat > notes.md <<'EOF'\nnpm install\nEOF",
        "cat > notes.md <<'EOF'\nnpm install\nthis was cu…",
        "echo npm install",
        "ls # npm install",
        "install() { npm install; }",
        "sed -i 's/npm install/pnpm install/' README.md",
        "python - <<'EOF'\nnpm install\n",
        "echo 'it is\nnpm install\nhere",
    ],
)
def test_what_only_names_a_command_runs_none(line: str) -> None:
    assert not any(family.startswith("npm") for family in families(line))


def test_a_prefix_and_the_command_it_runs_are_both_there() -> None:
    outer, inner = invocations("uv run pytest -q")
    assert (outer.family, inner.family) == ("uv run pytest", "pytest")
    assert inner.prefixes == ("uv run pytest",)


def test_the_last_command_of_a_clipped_line_may_lack_words() -> None:
    first, last = invocations("git add -A && git push orig…")
    assert first.is_complete and not last.is_complete
    assert last.words == ("git", "push")


@pytest.mark.parametrize(
    "line", ["", "   ", "'", '"', "…", "<<", "((", "a" * 20_000, "$(" * 300, "\0", "bash -c bash -c"]
)
def test_no_line_raises(line: str) -> None:
    invocations(line)
