"""Never, always, rather and instead in other languages: one row a form, each with an example."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.core.claim import Kind
from tacit.learn.talk.form import Form, Match, form, matches
from tacit.learn.talk.phrase import Phrase

_NEVER, _ALWAYS, _RATHER, _INSTEAD = Kind.CONSTRAINT, Kind.CONVENTION, Kind.PREFERENCE, Kind.CONVENTION
# Where a clause begins: "es wird nie aktualisiert" reports, "nie direkt pushen" asks.
_DE = r"(?:^|[,;:.!]\s|\b(?:und|aber|bitte|also|wir|du|ich)\s)"
# An order, not a report: it does not begin with what it is about, nor with a question.
_DE_ORDER = (
    r"(?!(?:der|die|das|es|er|sie|ich|wir|ein|eine|warum|wieso|wann|hier|da|dann|aber|jetzt|mein|unser|dies)\w{0,3}\s)"
    r"[a-zäöü]{3,15}\s(?:\S+\s){0,4}?"
)
_DE_MODAL = r"\b(?:du|wir|man|ihr) (?:sollst|sollt?en?|darfst|dürfen|darf|musst|müssen|muss)\s(?:\S+\s){0,4}?"
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
        _DE + r"(?:niemals|nie(?: wieder| mehr)?|auf keinen fall)\s\w+",
        "Niemals direkt auf den Hauptzweig pushen.",
    ),
    _row(
        "de",
        "never",
        _NEVER,
        _DE + _DE_ORDER + r"(?:nie|niemals)\b",
        "Benutze im Backend nie globale Variablen.",
    ),
    _row(
        "de",
        "never",
        _NEVER,
        _DE_MODAL + r"(?:nie|niemals|nicht ohne)\b",
        "Du sollst niemals ohne Rückfrage committen.",
    ),
    _row(
        "de",
        "never",
        _NEVER,
        r"(?:^|[,;:.!]\s)(?:bitte )?keine[nr]? [\w-]+ (?:in|im|für|auf|ohne)\s",
        "Bitte keine Emojis in Nachrichten von Commits.",
    ),
    _row(
        "de",
        "always",
        _ALWAYS,
        _DE + r"(?:immer|grundsätzlich|stets)\s\w+",
        "Bitte immer zuerst die Tests laufen lassen.",
    ),
    _row("de", "always", _ALWAYS, _DE + _DE_ORDER + r"(?:immer|stets)\b", "Schreibe Tests immer neben den Code."),
    _row("de", "always", _ALWAYS, _DE_MODAL + r"(?:immer|stets)\b", "Wir müssen neue Felder immer dokumentieren."),
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
        "rather",
        _RATHER,
        _DE + r"(?:nimm|verwende|benutze|nutze|schreib\w?|mach)\s(?:\S+\s){0,3}?lieber\s\w+",
        "Nimm lieber Komposition als Vererbung.",
    ),
    _row(
        "de",
        "instead",
        _INSTEAD,
        _DE + r"(?:statt|anstatt|anstelle von)\s[^,]{2,40},?\s.{0,40}\b(?:verwende|benutze|nutze|nimm)",
        "Statt npm bitte in allen Paketen pnpm verwenden.",
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
    _row("es", "never", _NEVER, _ES + r"no \w{2,15} (?:nunca|jamás)\b", "No uses nunca variables globales."),
    _row(
        "es",
        "never",
        _NEVER,
        _ES + r"no \w{2,15}\s.{0,60}\bsin (?:preguntar|consultar|avisar|mi (?:permiso|aprobación))",
        "No borres archivos sin preguntarme antes.",
    ),
    _row(
        "es",
        "always",
        _ALWAYS,
        _ES + r"(?!falla|pasa|sale|aparece|funciona|muestra|devuelve|queda)\w{2,12}[ae] siempre\s\w",
        "Usa siempre comillas simples en Python.",
    ),
    _row("es", "never", _NEVER, _ES + r"prohibido \w+", "Prohibido usar bibliotecas externas de js."),
    _row("pt", "never", _NEVER, _PT + r"proibido \w+", "Proibido usar bibliotecas externas de js."),
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
        "es",
        "instead",
        _INSTEAD,
        _ES + r"en (?:vez|lugar) de\s[^,]{1,40},?\s(?:usa|usar|utiliza|usemos|use)\b",
        "En vez de npm usa pnpm para todo.",
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
        r"\b(?:utilise|utilisez|utilisons|prends|prenons)\b.{1,60}\b(?:au lieu d[e']|plutôt que\b)",
        "Utilise pnpm au lieu de npm dans ce projet.",
    ),
    _row(
        "fr",
        "instead",
        _INSTEAD,
        _FR + r"au lieu d[e'].{1,40},?\s(?:utilise|utilisez|utilisons|prends|prenons)\b",
        "Au lieu de npm, utilise pnpm pour tout.",
    ),
    _row(
        "fr",
        "never",
        _NEVER,
        _FR + r"(?:ne|n'\w+)\s?.{1,60}?\bpas\s.{0,60}\bsans (?:me (?:demander|consulter)|mon (?:accord|avis))",
        "Ne supprime pas de fichiers sans me demander.",
    ),
    _row("pt", "never", _NEVER, _PT + r"(?:nunca|jamais)\s\w+", "Nunca faça commit de arquivos gerados."),
    _row("pt", "never", _NEVER, _PT + r"não \w{2,15} (?:nunca|jamais)\b", "Não use nunca variáveis globais."),
    _row(
        "pt",
        "never",
        _NEVER,
        _PT
        + r"não \w{2,15}\s.{0,60}\bsem (?:me (?:perguntar|consultar|avisar)|perguntar|minha (?:permissão|aprovação))",
        "Não apague arquivos sem me perguntar antes.",
    ),
    _row(
        "pt",
        "always",
        _ALWAYS,
        _PT + r"(?!falha|passa|aparece|funciona|mostra|retorna|fica)\w{2,12}[ae] sempre\s\w",
        "Use sempre aspas simples em Python.",
    ),
    _row(
        "pt",
        "instead",
        _INSTEAD,
        _PT + r"(?:em vez de|ao invés de|no lugar de)\s[^,]{1,40},?\s(?:use|usar|usa|utilize)\b",
        "Em vez de npm, use pnpm para tudo.",
    ),
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
        "never",
        _NEVER,
        r"(?:直接|勝手に|許可なく|許可なしに|確認なしに|確認せずに).{1,40}?(?:ないで|するな|禁止)",
        "許可なく勝手にファイルを削除しないでください。",
    ),
    _row(
        "ja",
        "language",
        _ALWAYS,
        r"(?:コメント|ドキュメント|コミット文?|返答|回答|返事|説明|メッセージ|変数名|関数名)は.{0,12}?(?:日本語|英語)で",
        "コミットメッセージは英語で書いてください。",
    ),
    _row(
        "ja",
        "chosen",
        Kind.DECISION,
        r"は、?\s?[^、。]{1,30}を(?:使います|使用します|採用します|利用します|使いたい|(?:使用|利用|採用)したい)",
        "データベースはPostgreSQLを使います。",
    ),
    _row(
        "ja",
        "always",
        _ALWAYS,
        r"(?:常に|必ず|毎回).{0,60}?(?:して|する|使|実行|書|こと)",
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
