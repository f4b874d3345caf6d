"""The home itself: its settings, and whether it is sound."""

from __future__ import annotations

from itertools import groupby

from starlette.responses import Response

from tacit.errors import UsageError
from tacit.home.setting_descriptions import DESCRIPTIONS
from tacit.home.settings_file import EffectiveSetting, SettingValue
from tacit.record import Record
from tacit.web.request import Notice, PageRequest

# Settings: each with its value, where that comes from, and a field to change it

# What an environment variable may do with a setting.
_VARIABLE_RULES = {
    "any": "may change it",
    "only lower": "may lower it",
    "only off": "may switch it off",
    "only add": "may add to it",
    "only narrow": "may narrow it",
    "only empty": "may empty it",
}


class ShownSetting(Record):
    """A setting with its value as text, and how it is edited: as a choice, a number or a text."""

    setting: EffectiveSetting
    text: str
    default: str
    field: str


def settings_page(call: PageRequest) -> Response:
    shown = [_show_setting(setting) for setting in call.vault.configuration.config()]
    sections = [
        (section, list(settings)) for section, settings in groupby(shown, lambda item: item.setting.key.split(".")[0])
    ]
    values = {
        "sections": sections,
        "descriptions": DESCRIPTIONS,
        "variable_rules": _VARIABLE_RULES,
        "unknown": call.vault.configuration.strays(),
        "path": call.vault.home.store.paths.settings,
    }
    return call.page("settings.html", "Settings", values)


def change_setting(call: PageRequest) -> Response:
    """Write a setting into the home's file, or take it out so that the default holds."""
    configuration, key = call.vault.configuration, call.field("key")
    match call.field("action"):
        case "set":
            value: str | list[str] = call.field("value")
            if isinstance(configuration.setting(key).value, tuple):
                value = [line.strip() for line in call.field("value").split("\n") if line.strip()]
            change = configuration.configure(key, value)
        case "unset":
            change = configuration.unconfigure(key)
        case action:
            raise UsageError(f"there is no action {action!r}")
    hint = f"A variable restricts it: {change.overruled_by}" if change.overruled_by else ""
    verb = "is" if change.changed else "was already"
    return call.redirect("/settings", Notice(f"{key} {verb} {_value_text(change.value)!r}.", hint=hint))


def _show_setting(setting: EffectiveSetting) -> ShownSetting:
    field = "choice" if isinstance(setting.value, bool) else "list" if isinstance(setting.value, tuple) else "text"
    return ShownSetting(setting, _value_text(setting.value), _value_text(setting.default), field)


def _value_text(value: SettingValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "\n".join(value) if isinstance(value, tuple) else str(value)


# Doctor: counts of what the home holds, and its checks, which run when they are asked for


def doctor_page(call: PageRequest) -> Response:
    is_run = bool(call.value("run"))
    findings = sorted(call.vault.doctor.doctor(), key=lambda finding: not finding.serious) if is_run else []
    values = {"status": call.vault.status(), "findings": findings, "is_run": is_run}
    return call.page("doctor.html", "Doctor", values)
