"""Never, always, rather and instead in other languages: one row a form, each with an example."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.core.claim import Kind
from tacit.learn.talk.form import Form, Match, form, matches
from tacit.learn.talk.phrase import Phrase

_NEVER, _ALWAYS, _RATHER, _INSTEAD = Kind.CONSTRAINT, Kind.CONVENTION, Kind.PREFERENCE, Kind.CONVENTION
# Where a clause begins: "es wird nie aktualisiert" reports, "nie direkt pushen" asks.
_DE = r"(?:^|[,;:.!]\s|\b(?:und|aber|bitte|also|wir|du|ich)\s)"
_ES = r"(?:^|[,;:.!¡]\s|\b(?:y|pero|por favor|también)\s)"
_FR = r"(?:^|[,;:.!]\s|\b(?:et|mais|aussi)\s)"
_PT = r"(?:^|[,;:.!]\s|\b(?:e|mas|também)\s)"


def _row(language: str, name: str, kind: Kind, pattern: str, example: str) -> Form:
    return form(f"{name} ({language})", kind, 5, pattern, example, firm=True)


FORMS = (
    _row(
        "de",
        "never",
        _NEVER,
        _DE + r"(?:niemals|nie wieder|auf keinen fall)\s\w+",
        "Niemals direkt auf den Hauptzweig pushen.",
    ),
    _row(
        "de",
        "never",
        _NEVER,
        _DE + r"(?:verwende|benutze|nutze|committe|pushe|schreibe|ändere|lösche|starte|mach|füge"
        r"|erstelle)\w*\s(?:\S+\s){0,6}?(?:nie|niemals)\b",
        "Benutze im Backend nie globale Variablen.",
    ),
    _row(
        "de",
        "always",
        _ALWAYS,
        _DE + r"(?:immer|grundsätzlich|stets)\s\w+",
        "Bitte immer zuerst die Tests laufen lassen.",
    ),
    _row(
        "de",
        "always",
        _ALWAYS,
        r"\bwir (?:verwenden|nutzen|benutzen|schreiben|machen|committen) (?:\S+\s){0,4}?(?:immer|grundsätzlich|stets"
        r"|nur|hier)\b",
        "Wir verwenden hier immer pnpm für alles.",
    ),
    _row(
        "de",
        "rather",
        _RATHER,
        r"\b(?:ich bevorzuge|wir bevorzugen|(?:ich|wir) (?:würden?|hätten?|möchten?|mag|nutzen?"
        r"|verwenden?)\s(?:\S+\s){0,6}?lieber)\s\w+",
        "Ich bevorzuge kleine Funktionen ohne Seiteneffekte.",
    ),
    _row(
        "de",
        "instead",
        _INSTEAD,
        r"\b(?:verwende|benutze|nutze|nimm|nutzen wir|nehmen wir|verwenden)\b.{1,60}\b(?:statt|anstatt|anstelle"
        r"|stattdessen)\b",
        "Verwende bitte httpx statt requests im Code.",
    ),
    _row("es", "never", _NEVER, _ES + r"(?:nunca|jamás)\s\w+", "Nunca hagas commit de archivos generados."),
    _row(
        "es",
        "always",
        _ALWAYS,
        _ES + r"(?:siempre)\s(?!falla|pasa|da\b)\w+",
        "Siempre ejecuta las pruebas antes de subir.",
    ),
    _row(
        "es",
        "rather",
        _RATHER,
        r"\b(?:prefiero|preferimos|preferiría)\s(?!que no sé)\w+",
        "Prefiero funciones pequeñas a clases grandes.",
    ),
    _row(
        "es",
        "instead",
        _INSTEAD,
        r"\b(?:usa|usar|utiliza|usemos|usamos)\b.{1,60}\ben (?:vez|lugar) de\b",
        "Usa pnpm en vez de npm en este repositorio.",
    ),
    _row(
        "fr",
        "never",
        _NEVER,
        _FR + r"(?:ne|n'\w+)\s?(?:\S+\s){0,4}?jamais\b",
        "Ne pousse jamais directement sur la branche principale.",
    ),
    _row("fr", "never", _NEVER, _FR + r"jamais de\s\w+", "Jamais de secrets dans le code source."),
    _row(
        "fr",
        "always",
        _ALWAYS,
        _FR + r"(?:toujours\s\w+|(?:utilise|lance|écris|mets|fais|vérifie|utilisez|lancez)z? toujours\s\w+)",
        "Lance toujours les tests avant de pousser.",
    ),
    _row(
        "fr",
        "rather",
        _RATHER,
        r"\b(?:je préfère|nous préférons|on préfère|je préférerais)\s\w+",
        "Je préfère des fonctions courtes et pures.",
    ),
    _row(
        "fr",
        "instead",
        _INSTEAD,
        r"\b(?:utilise|utilisez|utilisons|prends|prenons)\b.{1,60}\bau lieu d[e']",
        "Utilise pnpm au lieu de npm dans ce projet.",
    ),
    _row("pt", "never", _NEVER, _PT + r"(?:nunca|jamais)\s\w+", "Nunca faça commit de arquivos gerados."),
    _row("pt", "always", _ALWAYS, _PT + r"sempre\s(?!falha|dá\b)\w+", "Sempre rode os testes antes de enviar."),
    _row(
        "pt",
        "rather",
        _RATHER,
        r"\b(?:prefiro|preferimos|preferiria)\s\w+",
        "Prefiro funções pequenas a classes grandes.",
    ),
    _row(
        "pt",
        "instead",
        _INSTEAD,
        r"\b(?:use|usar|usa|utilize|vamos usar|usamos)\b.{1,60}\b(?:em vez de|ao invés de|no lugar de)\b",
        "Use pnpm em vez de npm neste projeto.",
    ),
    _row(
        "ja",
        "never",
        _NEVER,
        r"(?:絶対に|決して|二度と).{1,60}?(?:ないで|するな|しない|ません|禁止|だめ|ダメ)",
        "絶対に本番環境で直接実行しないでください。",
    ),
    _row(
        "ja",
        "always",
        _ALWAYS,
        r"(?:常に|必ず|いつも|毎回).{1,60}?(?:して|する|使|実行|書)",
        "コミットの前に必ずテストを実行してください。",
    ),
    _row(
        "ja",
        "rather",
        _RATHER,
        r"(?:の方が|のほうが).{0,20}?(?:いい|良い|好き|望ましい)|を好み",
        "クラスより小さい関数の方が好きです。",
    ),
    _row(
        "ja",
        "instead",
        _INSTEAD,
        r"の(?:代わりに|かわりに).{1,60}?(?:使|して|する)|ではなく.{1,40}?を使",
        "npmの代わりにpnpmを使ってください。",
    ),
)


def learn(phrase: Phrase) -> Iterator[Match]:
    return matches(FORMS, phrase)
