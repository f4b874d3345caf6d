"""The word lists of `lexicon.txt`, which says what each is for. The other modules of this package use them."""

import os


def _read_lists() -> dict[str, list[str]]:
    """Return the lines of each list by its name. A line that begins with a blank continues the one above it."""
    lists: dict[str, list[str]] = {}
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "lexicon.txt"), encoding="utf-8") as file:
        for line in file.read().split("\n"):
            if line.startswith("["):
                lines = lists[line.strip("[]")] = []
            elif line.startswith(" "):
                lines[-1] += line
            elif line and not line.startswith("#"):
                lines.append(line)
    return lists


_LISTS = _read_lists()


def _words(name: str) -> frozenset[str]:
    return frozenset(" ".join(_LISTS[name]).split())


def _phrases(*names: str) -> dict[str, list[list[str]]]:
    """Return the words of each phrase, by the first of them."""
    by_first: dict[str, list[list[str]]] = {}
    for phrase in ", ".join(line for name in names for line in _LISTS[name]).split(", "):
        by_first.setdefault(phrase.split()[0], []).append(phrase.split())
    return by_first


def _by_member(name: str, separator: str | None = None) -> dict[str, str]:
    """Return the group of each member, from lines "group: member member"."""
    groups = (line.partition(":") for line in _LISTS[name])
    return {member.strip(): group for group, _, members in groups for member in members.split(separator)}


FUNCTION_WORDS = _words("function words")
LIGHT_WORDS = _words("light words")
VAGUE_NOUNS = _words("vague nouns")
AUXILIARIES = _words("auxiliaries")

NEGATIONS = _words("negations")
NEGATIVE_VERBS = _words("negative verbs")
NO_LONGER_WORDS = _words("no longer words")
NO_LONGER_PHRASES = _phrases("no longer phrases")
DENIAL_PHRASES = _phrases("denial phrases", "no longer phrases")
PHRASAL_VERBS = _words("phrasal verbs")
PARTICLES = _words("particles")
CONTRAST_PHRASES = _phrases("contrast phrases")
WITHOUT_WORDS = _words("without words")
CHOICE_VERBS = _words("choice verbs")
CHANGED_WORDS = _words("changed words")
CHANGE_VERBS = CHANGED_WORDS | _words("change verbs")
REPLACE_VERBS = _words("replace verbs")
REPLACE_PREPOSITIONS = _words("replace prepositions")
LEAVE_VERBS = _words("leave verbs")
NOW_WORDS = _words("now words")
NOW_PHRASES = _phrases("now phrases")
ENDED_WORDS = _words("ended words")

DETERMINERS = _words("determiners")
LINK_WORDS = _words("link words")
NAMING_VERBS = _words("naming verbs")
ONLY_WORDS = _words("only words")
ANYONE_WORDS = _words("anyone words")
PERMISSION_WORDS = _words("permission words")
LITTLE_WORDS = _words("little words")
MUCH_WORDS = _words("much words")
LINKING_VERBS = _by_member("linking verbs")
PURPOSE_WORDS = _words("purpose words")
ADDITIVE_WORDS = _words("additive words")
UNIQUE_WORDS = _words("unique words")
DUTY_VERBS = _words("duty verbs")
REASON_WORDS = _words("reason words")

BEFORE_WORDS = _words("before words")
AFTER_WORDS = _words("after words")
THEN_WORDS = _words("then words")
FIRST_WORDS = _words("first words")
# Words of negation and order.
STRUCTURE_WORDS = BEFORE_WORDS | AFTER_WORDS | THEN_WORDS | FIRST_WORDS | NEGATIONS | NEGATIVE_VERBS | NO_LONGER_WORDS
# Small words that reverse a sentence: "is on by default" and "is off by default".
REVERSING_WORDS = (
    ("on", "off"), ("in", "out"), ("up", "down"), ("with", "without"), ("above", "below"), ("over", "under"),
    ("more", "less"), ("most", "least"), ("many", "few"), ("to", "from"), ("all", "some"), ("every", "some"),
    ("always", "sometimes"), ("inside", "outside"),
)  # fmt: skip
EXCEPTION_WORDS = _words("exception words")
END_WORDS = _words("end words")
PERMITTING_WORDS = _words("permitting words")
DOUBTING_WORDS = _words("doubting words")
NAMED_WORDS = _words("named words")
PERSONS = _by_member("persons")
# Words that hold a sentence together: with another one it says something else.
ORDER_WORDS = BEFORE_WORDS | AFTER_WORDS | THEN_WORDS | FIRST_WORDS
FRAME_WORDS = ORDER_WORDS | ONLY_WORDS | ANYONE_WORDS | _words("frame words")

ENVIRONMENTS = _words("environments")
CONDITION_WORDS = _words("condition words")
OPENING_PREPOSITIONS = _words("opening prepositions")
GERMAN_WORDS = _words("german words")
LOWER_BOUND_WORDS = _words("lower bound words")
UPPER_BOUND_WORDS = _words("upper bound words")

ALIASES = _by_member("aliases")
SYNONYMS = _by_member("synonyms")
SYNONYMS |= {name: name for name in SYNONYMS.values()}
MULTIWORD_NAMES = _by_member("multiword names", ",")
FAMILIES = _by_member("families")
# Families of which a project has one member, whatever it is for.
SINGLE_CHOICES = frozenset(("package manager", "python installer", "indentation", "quotes", "editor", "theme"))
AMBIGUOUS_MEMBERS = _words("ambiguous members")
NAMING_WORDS = _words("naming words")
NEGATED_STATES = _by_member("negated states")
# Names that stand for other spellings.
RESPELLED_NAMES = frozenset((*ALIASES.values(), *NEGATED_STATES.values(), *MULTIWORD_NAMES.values()))

UNITS = {name: (kind, float(size)) for name, group in _by_member("units").items() for kind, size in [group.split()]}
FREQUENCIES = {"hourly": "1h", "daily": "1d", "weekly": "1w", "monthly": "1month", "yearly": "1y"}
LABEL_WORDS = _words("label words")
NUMBER_WORDS = _by_member("number words")
ARTICLES = _words("articles")

FILLER_WORDS = _words("filler words")
# Verbs and nouns without a subject of their own.
ALL_LIGHT_WORDS = LIGHT_WORDS | CHANGE_VERBS | REPLACE_VERBS | VAGUE_NOUNS
COMMON_ACRONYMS = _words("common acronyms")
ENDINGS = _words("endings") | {""}
