"""What the person likes better, said as such."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.core.claim import Kind
from tacit.learn.talk.form import AT, Match, form, matches
from tacit.learn.talk.phrase import Phrase

FORMS = (
    form(
        "prefers",
        Kind.PREFERENCE,
        4,
        r"\b(?:i|we)(?:'d| would)?\s(?:(?:much|really|also|always|generally|usually|strongly|definitely|still"
        r"|just)\s)?prefer\s(?!previous\b|the (?:previous|old|first|second|last)\b|option\b|that\b|this\b|it\b)",
        "I prefer nodejs to python.",
        firm=True,
    ),
    form(
        "would rather",
        Kind.PREFERENCE,
        4,
        r"\b(?:i|we)(?:'d| would| had)\s(?:much\s|really\s)?rather\s(?!not (?:do|talk)\b)",
        "I'd rather use the standard library than a framework.",
        firm=True,
    ),
    form(
        "prefer",
        Kind.PREFERENCE,
        4,
        AT + r"(?:always\s|generally\s|strongly\s)?prefer\s(?:to\s|using\s)?(?!it\b|this\b|that\b)[\w`\"'$./@-]",
        "Prefer small functions over clever ones.",
        firm=True,
    ),
    form(
        "likes",
        Kind.PREFERENCE,
        4,
        r"\bi (?:really )?(?:like|love|hate|dislike|can't stand)\s(?:it when|when you|how you|to (?:have|keep|use|see"
        r"|work|know|be)|having|keeping|using|working|writing)\b",
        "I like to keep commits small.",
    ),
    form(
        "wishes in general",
        Kind.PREFERENCE,
        5,
        r"\b(?:i'd like|i would like|i want|i'd love|i need)\s(?:you to\s)?(?:always|never|only|to always|to never)\b",
        "I want you to always explain the plan.",
        firm=True,
    ),
    form(
        "wants to learn",
        Kind.PREFERENCE,
        4,
        r"\b(?:i(?:'m| am) (?:new to|a beginner|not familiar with|learning|an? (?:experienced|senior|junior))"
        r"|explain (?:everything|things|your reasoning|the reasoning|it to me like)|treat me (?:as|like)|i(?:'m"
        r"| am) trying to learn|help me (?:understand|learn) (?:the|how|what|why) (?:reasoning|you|we|things"
        r"|to think))\b",
        "I'm new to Rust, so explain lifetimes when they come up.",
    ),
    form(
        "kept small",
        Kind.PREFERENCE,
        4,
        AT + r"(?:always\s)?keep (?:things|(?:the |your |our |all )?(?:code|responses?|answers?|comments?|commits?"
        r"|functions?|files?|changes?|prs?|messages?|tests?|docs?|summar(?:y|ies)"
        r"|explanations?)) (?:\w+ ){0,2}?(?:simple|short|small|brief|concise|minimal|clean|focused|lean"
        r"|readable)\b",
        "Keep commit messages short and to the point.",
    ),
    form(
        "manner",
        Kind.PREFERENCE,
        4,
        AT + r"be (?:more |less |very |always |extremely )?(?:concise|brief|careful|proactive|direct|thorough|honest"
        r"|critical|explicit|conservative|verbose|skeptical)\b",
        "Be more concise in your answers.",
    ),
    form(
        "language",
        Kind.PREFERENCE,
        5,
        r"\b(?:answer|respond|reply|speak|talk|communicate|write (?:comments|docs|commits?|everything))\s(?:to me "
        r"|always |only )?in (?:english|german|french|spanish|portuguese|japanese|chinese|italian|dutch|russian"
        r"|korean|plain)\b",
        "Always answer in German, please, but code in English.",
    ),
    form(
        "needless",
        Kind.PREFERENCE,
        4,
        r"\byou (?:don't|dont|do not|never) (?:need|have) to (?:ask|confirm|check|wait|explain|summari[sz]e|show|tell"
        r"|repeat|apologi[sz]e)\b",
        "You don't need to ask me before you run tests.",
    ),
    form(
        "dislikes",
        Kind.PREFERENCE,
        4,
        r"\b(?:i|we) (?:really )?(?:don't|dont|do not) like (?!the\b|this\b|that\b|it\b|any\b|how (?:it|this|that)\b"
        r"|what\b|your\b|these\b)\w+",
        "I don't like inline styles, use modules.",
    ),
    form(
        "wants them so",
        Kind.PREFERENCE,
        4,
        r"\b(?:i|we) (?:always |really )?(?:want|like) (?!us\b|this\b|changes\b|the\b|that\b"
        r"|it\b)(?:[a-z-]+ ){0,2}?[a-z]+s to (?:be|stay|have|use|go"
        r"|live|follow)\b",
        "I want commits to be small and focused.",
    ),
    form(
        "likes better",
        Kind.PREFERENCE,
        4,
        r"\b(?:i|we) (?:always |generally )?like (?!this\b|that\b|it\b|the (?:old|new|first|second"
        r"|previous)\b)[^,.;]{2,50} (?:better|more)\b",
        "I like the explicit approach better, no magic please.",
    ),
    form(
        "allowed",
        Kind.PREFERENCE,
        4,
        r"\byou(?:'re| are) (?:always |generally )?(?:allowed|free|welcome|permitted) to\s",
        "You are allowed to install packages without asking.",
    ),
    form(
        "told beforehand",
        Kind.PREFERENCE,
        4,
        AT + r"(?:always )?(?:explain|tell me|show me|describe|outline|present)\s.{0,60}\bbefore (?:you|doing|making"
        r"|implementing|writing|coding)\b",
        "Explain what you are going to do before you do it.",
    ),
    form(
        "more or less of it",
        Kind.PREFERENCE,
        3,
        r"\bi(?:'d| would) (?:like|prefer|love) (?:less|fewer|shorter|smaller|simpler|more)\s",
        "Generally I'd like less abstraction and plain code.",
    ),
    form(
        "who the person is",
        Kind.PREFERENCE,
        4,
        r"\bi(?:'m| am) (?:not )?an? (?:\w+ )?(?:native speaker|developer|engineer|designer|student|researcher"
        r"|scientist|admin|novice|manager)\b",
        "I'm not a native speaker, so use simple English.",
    ),
    form(
        "would like it if",
        Kind.PREFERENCE,
        4,
        r"\bi(?:'d| would) (?:love|like|appreciate|prefer) it if you (?!could\b|can\b|would\b)\w+",
        "I'd love it if you kept functions under 50 lines.",
    ),
)


def learn(phrase: Phrase) -> Iterator[Match]:
    return matches(FORMS, phrase)
