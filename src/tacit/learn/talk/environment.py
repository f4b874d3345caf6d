"""Facts about where the work happens: machine, tools, servers, what the agent may reach."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.core.claim import Kind
from tacit.learn.talk.form import Match, form, matches
from tacit.learn.talk.phrase import Phrase

_SYSTEM = (
    r"(?:ubuntu|debian|fedora|arch|nixos|linux|mac(?:book)?|m[1-5]|manjaro|mac ?os|macos|osx|windows|win ?1[01]|wsl2?"
    r"|wayland"
    r"|x11|kde|plasma|gnome|hyprland|sway|i3"
    r"|zsh|bash|fish|powershell|tmux|neovim|nvim|vim|emacs|vs ?code|cursor|docker|podman|kubernetes|k8s|colima|nix"
    r"|homebrew"
    r"|python|node|nodejs|bun|deno|go|rust|java|ruby|php|postgres(?:ql)?|mysql|sqlite|redis|aws|gcp|azure|vercel"
    r"|cloudflare|supabase)"
)

FORMS = (
    form(
        "runs on",
        Kind.ENVIRONMENT,
        5,
        r"\b(?:(?:i'm|im|i am|we're|we are) (?:currently |still |already )?(?:on|running|using)|(?:i|we) (?:work"
        r"|develop|deploy|host"
        r"|am working)(?: \w+)? (?:on|with|in|to))\s(?:an? |the )?" + _SYSTEM + r"\b",
        "I'm on Ubuntu 22.04 with a GUI session.",
        firm=True,
    ),
    form(
        "is of this sort",
        Kind.ENVIRONMENT,
        4,
        r"\b(?:the|our|my) (?:[\w-]+ ){0,3}?(?:host|server|machine|vm|box|laptop|cluster|container|image|runner"
        r"|board) (?:is|runs"
        r"|has) (?:an? |on |only |just )?(?:[\w-]+ ){0,2}?(?:"
        + _SYSTEM
        + r"|unix|arm(?:64)?|x86|alpine|rhel|centos|esp32)\b",
        "The production host is a Debian machine with systemd.",
    ),
    form(
        "is installed",
        Kind.ENVIRONMENT,
        4,
        r"\b(?:i|we) (?:do |already "
        r"|only )?have (?:the )?[\w`\"'.+-]+(?: [\w`\"'.+-]+){0,3} (?:already )?(?:installed|available"
        r"|set up|running locally)\b"
        r"|\b(?:isn't|aren't|is not|are not|not) (?:in|on) (?:the |my |our )?(?:local |system )?path\b",
        "I have only Python 3.11 installed.",
    ),
    form(
        "needs to run",
        Kind.ENVIRONMENT,
        4,
        r"\b[a-z]+(?:s|tests?|app|server|build|suite) (?:needs?"
        r"|requires?) [\w`\"'.-]+(?: [\w`\"'.-]+){0,2} (?:to be )?(?:running|installed"
        r"|started|enabled|available)\b",
        "The integration tests need docker running.",
    ),
    form(
        "uses for",
        Kind.ENVIRONMENT,
        4,
        r"\bi(?:'m using|m using| am using| use| always use| usually use)\s(?!your\b|this\b|that\b|it\b|them\b"
        r"|these\b|those\b)(?:the )?[\w`\"'./-]+(?: [\w`\"'./-]+){0,4}? (?:to|for|as|on|with)\s",
        "I use direnv to set up the shell.",
    ),
    form(
        "does not use",
        Kind.ENVIRONMENT,
        4,
        r"\bi (?:don't|dont|do not|never) use\s(?!it\b|this\b|that\b|them\b)",
        "I don't use email on this machine.",
    ),
    form(
        "may reach",
        Kind.ENVIRONMENT,
        4,
        r"\byou (?:already |also |do |now )?(?:have|can have) (?:full |read |write |ssh |root |direct )?access to\b"
        r"|\byou can (?:always |also )?(?:check|reach|ssh|access|query|see|find|run|test|use) .{2,60}\b(?:yourself"
        r"|via|through|over ssh|with the cli)\b",
        "You have access to the staging server over ssh.",
    ),
    form(
        "has access only",
        Kind.ENVIRONMENT,
        4,
        r"\b(?:only has|only have|has no|have no|has only|have only|doesn't have|does not have|don't have) (?:read "
        r"|write )?(?:access|permissions?|rights|internet|network|sudo|root)\b",
        "The tools only have access to read commands.",
    ),
    form(
        "is deployed at",
        Kind.ENVIRONMENT,
        5,
        r"\b(?:the|our|my|a) (?:[\w`\"'.-]+ ){1,4}?(?:is|are) (?:now )?(?:deployed|hosted|running|available|located"
        r"|live|reachable|served|found)\s(?:here|at|on|under|in|via)?:?\s?(?:the )?(?:https?://|localhost|port|[`\"']"
        r"|\d|[\w-]+\.[\w.-]+/)",
        "The dashboard is deployed at https://grafana.example.com.",
    ),
    form(
        "comes from",
        Kind.ENVIRONMENT,
        4,
        r"\b(?:data|numbers|prices|users|accounts|secrets|credentials|translations|content|events|orders"
        r"|metrics) (?:all )?"
        r"(?:comes?|gets? (?:imported|synced|loaded)|is|are) (?:synced |imported |loaded |pulled )?from (?:the |our "
        r"|an? )?"
        r"[\w`\"'./-]+",
        "The product data comes from the ERP system.",
    ),
    form(
        "its address",
        Kind.ENVIRONMENT,
        4,
        r"\b(?:url|link|console|address|docs|documentation|dashboard|repo) (?:is|are)(?: at| here)?:?\s?https?://",
        "The url of staging: the console is https://console.example.com.",
    ),
    form(
        "needs no",
        Kind.ENVIRONMENT,
        4,
        r"\b(?:app|server|api|service|cli|build|site|database|db|demo|environment|machine|cluster|container|runner|ci"
        r"|staging|production|prod)\s(?:doesn't|doesnt|does not|don't)\s(?:require|need|support|have|allow|use)\s",
        "The demo app doesn't require a sign-in.",
    ),
    form(
        "of this machine",
        Kind.ENVIRONMENT,
        4,
        r"\b(?:is|are|uses?|has|have|runs?|installed|lives?)\b.{0,60}\bon (?:this|my|the build|our) (?:machine|laptop"
        r"|computer|box|server|host|system|mac|pc|cluster)\b",
        "Docker is not installed on this machine.",
    ),
    form(
        "address",
        Kind.ENVIRONMENT,
        4,
        r"\b(?:our|the) (?:\w+ )?(?:server|database|db|staging|production|prod|dev|api|dashboard|registry|endpoint"
        r"|port|host|cluster|bucket|repo(?:sitory)?|default branch|main branch) (?:is|runs|lives|listens) (?:at|on|in"
        r"|called|named)?\s?(?:https?://|[`\"']|\d|port\b|localhost|[\w-]+\.[\w-]+)",
        "The staging database is on port 5433.",
    ),
    form(
        "mine is",
        Kind.ENVIRONMENT,
        4,
        r"\bmy (?:\w+ )?(?:name|timezone|time zone|editor|shell|os|machine|laptop|setup|terminal|username|domain"
        r"|company|team|keyboard|stack|ide|browser|distro|desktop|gpu|server|nas)(?: [\w-]+){0,3}?\s(?:is|runs|uses|has"
        r"|are)\s(?!not working|broken)",
        "My laptop has only 8 GB of memory.",
    ),
    form(
        "told as a fact",
        Kind.ENVIRONMENT,
        4,
        r"\b(?:i(?:'ve)? (?:just )?learned|i(?:'ve)? (?:just )?found out|(?:it )?turns out|fyi|for context"
        r"|just so you know|for your information|keep in mind|bear in mind|be aware)[,:]?\s(?:that\s)?(?!it\b|this\b"
        r"|these\b|those\b|the following\b"
        r"|you\b|i\b|the (?:bug|issue|problem|error)\b)[\w`\"']",
        "Keep in mind that the database is shared with billing.",
    ),
    form(
        "every night",
        Kind.ENVIRONMENT,
        4,
        r"\b(?:is|are|gets?|runs?|happens?|rotates?|expires?|resets?)\b.{0,30}\b(?:(?:every|each) (?:night|day|week"
        r"|hour|morning|month|sprint)|nightly|weekly|daily)\b",
        "Our staging database gets wiped every night.",
    ),
)


def learn(phrase: Phrase) -> Iterator[Match]:
    return matches(FORMS, phrase)
