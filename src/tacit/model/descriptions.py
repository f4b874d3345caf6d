"""Whether a sentence describes how something is, in the languages that people type.

What describes is told when a task has to do with it. What commands is told whatever the task is, so a command that is
taken for a description is the worse mistake: a sentence describes only if it has a verb that describes, behind its
subject, and nothing that commands, forbids or restricts.
"""

from __future__ import annotations

import re

from tacit.record import Record


class _Language(Record):
    """Verbs that describe, and words with which nothing is certain."""

    verbs: frozenset[str]
    commands: frozenset[str]


def _language(verbs: str, commands: str) -> _Language:
    return _Language(frozenset(verbs.split()), frozenset(commands.split()))


_LANGUAGES = (
    _language(  # English; what has "is" or "are" is parsed as a fact before
        "gets goes go takes take owns belongs belong lives live comes come contains contain expires expire listens"
        " listen returns return sits stores has have was were starts start points maps means exposes reads talks talk"
        " happens happen depends depend lasts costs consists speaks",
        "never always only must should shall please don't dont doesn't do not no nobody nothing none cannot can't"
        " need needs ask avoid before after until unless instead without first let make be been every each all any",
    ),
    _language(
        "ist sind war waren liegt liegen steht stehen läuft laufen gehört gehören dauert dauern kommt kommen stammt"
        " stammen heißt heißen liefert liefern enthält enthalten spricht sprechen beginnt beginnen fängt fangen nutzt"
        " nutzen verwendet verwenden benutzt benutzen hat haben befindet befinden bekommt wird lauscht gibt speichert"
        " hängt holt besteht kostet bedeutet",
        "nie niemals nicht nichts kein keine keinen keinem keiner immer stets bitte nur muss müssen muß soll sollen"
        " sollte sollten darf dürfen niemand statt anstatt erst zuerst zu vor bevor nach nachdem ohne müsst lass lasst"
        " mach wenn ausschließlich unbedingt vermeide vermeiden verboten jede jeder jedes alle",
    ),
    _language(
        "est sont était étaient trouve trouvent appartient appartiennent dure durent vient viennent provient"
        " proviennent renvoie renvoient commence commencent parle parlent contient contiennent tourne tournent appelle"
        " appellent utilise utilisent lieu écoute dépend dépendent prend prennent possède coûte signifie",
        "ne pas jamais toujours doit doivent faut seul seule seulement uniquement personne aucun aucune rien avant"
        " après devez devons svp merci plait plaît sans sauf d'abord interdit interdite évite évitez éviter obligatoire"
        " on tu vous chaque tout toute tous toutes",
    ),
    _language(
        "es son está están era eran pertenece pertenecen tarda tardan viene vienen devuelve devuelven empieza empiezan"
        " habla hablan contiene contienen corre corren guarda guardan reinicia encuentra encuentran llama llaman tiene"
        " tienen usa usan vive viven depende dependen escucha dura duran cuesta significa",
        "no nunca siempre debe deben debes hay solo sólo únicamente solamente nadie nada ningún ninguna jamás que"
        " primero favor antes después sin salvo prohibido prohibida evita evitar obligatorio"
        " cada todo toda todos todas",
    ),
    _language(
        "é são está estão era eram fica ficam pertence pertencem demora demoram vem vêm devolve devolvem retorna"
        " retornam começa começam fala falam contém roda rodam usa usam tem têm acontece acontecem dura duram depende"
        " dependem mora escuta custa significa",
        "não nunca sempre deve devem só somente apenas ninguém nada nenhum nenhuma jamais que preciso primeiro favor"
        " antes depois sem proibido proibida evite evitar obrigatório cada todo toda todos todas",
    ),
    _language(
        "это находится находятся лежит лежат принадлежит принадлежат занимает занимают занят занята занято заняты взят"
        " взята взято взяты выходит выходят возвращает возвращают начинается начинаются ходит ходят хранится хранятся"
        " пересоздаётся сбрасывается работает работают называется называются использует используют слушает слушают"
        " содержит содержат живёт живут стоит крутится зависит зависят длится",
        "не нет ни никогда всегда нельзя никто ничего никаких никакие должен должна должно должны нужно нужен нужна"
        " нужны надо только лишь сначала обязательно запрещено запрещён запрещены пожалуйста вместо прежде перед после"
        " пока без следует каждый каждая каждое все всякий",
    ),
)
# A number behind "needs" makes a measure of what would be a demand.
_MEASURE = re.compile(
    r"(?:\b(?:needs?|braucht|brauchen|necesita|precisa de|besoin de)|требу\w+|需要) ?\d", re.IGNORECASE
)
_OBLIGATION = re.compile(r"\b(?:ha(?:s|ve|d)|ought|wants?) to\b", re.IGNORECASE)
_MAX_CHARS = 400
# Japanese says it with the end of the sentence, Chinese with words in it; neither has blanks.
_KANA, _HAN = re.compile(r"[\u3040-\u30ff]"), re.compile(r"[\u4e00-\u9fff]")
_JAPANESE = re.compile(
    r"(?:に(?:あり|い)ます|にある|(?<!だけ)(?<!のみ)(?<!こと)(?:です|である)|ものだ|[てで]い(?:ます|る)|かか(?:ります|る)"
    r"|され(?:ます|る|た|ました)|(?:から|に)(?:始まり?(?:ます|る)|来(?:ます|る)|属(?:します|する))|返(?:します|す)"
    r"|含(?:みます|む))[。.]?$"
)
_JAPANESE_COMMAND = re.compile(
    r"ください|下さい|べき|必ず|ない|禁止|いけ|だめ|ダメ|常に|いつも|優先|先に|前に|後に|たら|ではなく|じゃなく"
    r"|必要(?!です$)|必須"
)
_CHINESE = re.compile(
    r".(?:在|是|位于|来自|属于|归|存放|存在|保存|放在|从|大概|大约|叫|名为|通过|会|等于|返回|包含|监听|占用)"
)
_CHINESE_COMMAND = re.compile(
    r"[不别勿请先仅必应须避后时谁]|禁止|只[能有许准用]|务必|一定|总是|始终|永远|每次|前(?![端台])|改用|优先|记得|记住|注意|统一|尽量"
    r"|保持|使用(?!的)|^用(?!户)|得[先用写跑把]|要(?![一二三四五六七八九十两几\d]| \d)|需(?!要 ?\d)"
)


def is_description(sentence: str) -> bool:
    """Return whether a sentence describes something, and demands nothing."""
    text = sentence[:_MAX_CHARS].strip().replace("’", "'")
    if re.search(r"[!?\n！？]", text) or _OBLIGATION.search(text):
        return False
    if _KANA.search(text):
        return bool(_JAPANESE.search(text)) and not _JAPANESE_COMMAND.search(text)
    if _HAN.search(text):
        return bool(_CHINESE.search(text) or _MEASURE.search(text)) and not _CHINESE_COMMAND.search(text)
    words = re.findall(r"[^\W\d_]+(?:'t)?", text.lower())
    measure = _MEASURE.search(text)
    if measure and measure.start() > 0:
        words = [word for word in words if word not in ("need", "needs")]
    return any(
        (measure or not language.verbs.isdisjoint(words[1:])) and language.commands.isdisjoint(words)
        for language in _LANGUAGES
    )
