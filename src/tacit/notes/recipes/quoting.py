"""One word for any text, on one line, for each shell. What would deceive a reader is written as an escape."""

from __future__ import annotations

from tacit.core.text import escape_lies

_NAMED = {"\n": "\\n", "\t": "\\t"}


def is_plain(text: str) -> bool:
    """Whether it can stand in a file as it is: one line, nothing invisible."""
    return escape_lies(text, lambda _sign: "") == text


def sh_word(text: str, also: str = "") -> str:
    """For every POSIX shell. The signs in `also` are written as numbers too."""
    if is_plain(text) and not any(sign in text for sign in also):
        return "'" + text.replace("'", "'\\''") + "'"
    escaped = text.replace("\\", "\\\\").replace("%", "%%").replace("'", "'\\''")
    for sign in also:
        escaped = escaped.replace(sign, _octal(sign))
    return f"\"$(printf -- '{escape_lies(escaped, _octal)}')\""


def bash_word(text: str) -> str:
    """For bash and zsh."""
    if is_plain(text):
        return sh_word(text)
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"$'{escape_lies(escaped, _hexadecimal)}'"


def fish_word(text: str) -> str:
    """For fish, where escapes stand between quotes."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return "'" + escape_lies(escaped, lambda sign: f"'{_of_fish(sign)}'") + "'"


def shell_call(shell: str, word: str) -> str:
    """A step in a shell of its own. A step may begin with a dash; fish takes what follows -c as it stands."""
    return f"{shell} -c {word}" if shell == "fish" else f"{shell} -c -- {word}"


ARGUMENTS = '"$@"'  # all of them, each as it is, in every shell but fish


def shell_call_with(shell: str, word: str, arguments: str) -> str:
    """The same with arguments, which are `$1` and so on inside; all but fish are told their own name first."""
    name = "" if shell == "fish" else f"{shell} "
    return f"{shell_call(shell, word)} {name}{arguments}"


def _octal(sign: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in sign.encode())


def _hexadecimal(sign: str) -> str:
    return _NAMED.get(sign) or "".join(f"\\x{byte:02x}" for byte in sign.encode())


def _of_fish(sign: str) -> str:
    return _NAMED.get(sign) or (f"\\x{ord(sign):02x}" if sign < "\x80" else f"\\U{ord(sign):08x}")
