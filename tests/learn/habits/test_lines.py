"""Which command lines say something by their arguments."""

from __future__ import annotations

import pytest

from tacit.learn.habits.lines import MAX_LINE_CHARS, informative_commands, line_weight


@pytest.mark.parametrize(
    "line",
    [
        "rsync -ru . web:/srv/www",
        "docker run --rm -v $PWD:/work -it builder bash",
        "ssh -p 2222 me@build.example.org",
        "ssh me@build.example.org",
        "ssh build 'cd app && make'",
        "make release",
        "npm run e2e",
        "yarn db:restart",
        "./scripts/deploy.sh",
        "bash deploy.sh",
        "python train.py data.csv",
        "git rebase --autosquash --onto main topic",
        "sudo systemctl --user restart app.service",
        "journalctl --user --unit=app -f",
        "ffmpeg -r 50 -i img_%03d.jpg -crf 25 out.mp4",
    ],
)
def test_a_line_that_one_would_have_to_look_up_says_something(line: str) -> None:
    assert informative_commands(line) == (line,)
    assert line_weight(line) > 0


@pytest.mark.parametrize(
    "line",
    [
        *("git", "git status", "git add src/app.py", "git commit -m 'a long message'", "git push origin main"),
        *("git checkout feature/x", "git reset --hard HEAD~1", "vim ~/.zshrc", "rm -rf node_modules", "kill -9 1234"),
        *(
            "npm install left-pad",
            "npm test",
            "npm start",
            "npm run dev",
            "npm audit",
            "yarn start:dev",
            "make",
            "make -j8",
        ),
        *(
            "make test",
            "make clena",
            "./a.out",
            "./configure",
            "./install.sh",
            "cargo build",
            "python",
            "python app.py",
        ),
        *("ls -la /srv", "cd ../..", "../..", "~/src/app/", "ping 10.0.0.1", "python --version", "brew install ffmpeg"),
        *("gcc main.c -o main", "grep -rn todo src", "mysql --user=me --password=abc db", "tool --token x --url=y"),
        *(
            "deploy --with [redacted:github-pat] --to=web",
            "rsync -ru a \\\nweb:/a",
            f"rsync -ru {'a' * MAX_LINE_CHARS} web:/a",
        ),
        *("emacs --daemon", "serve -s build", "yarn test --bail"),
        *("", "# rsync -ru . web:/srv/www", "history | grep ssh"),
    ],
)
def test_what_everybody_types_or_is_meant_for_now_says_nothing(line: str) -> None:
    assert informative_commands(line) == ()
    assert line_weight(line) == 0


def test_of_a_line_of_several_commands_those_are_returned_that_say_something() -> None:
    assert informative_commands("cd docs && git pull && rsync -ru . web:/srv/www") == ("rsync -ru . web:/srv/www",)
    assert line_weight("make release && make upload") == 0, "no key is a line of two commands"


def test_more_arguments_say_more() -> None:
    assert line_weight("rsync -ru --delete . web:/srv/www") > line_weight("rsync -ru . web:/srv/www")
