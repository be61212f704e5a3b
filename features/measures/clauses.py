"""Clauses: who does what to whom, and with, to, from, by whom."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from semaniacs.features import lexicon
from semaniacs.features.measures.phrases import AUXILIARIES, MARKERS, TO_TWO, Phrase, phrases
from semaniacs.sts.text.analysis import Sentence

Words = frozenset[str]

_CONTROL = lexicon.words("control verb")  # verbs whose object does what follows: ask Ann to leave


class Group:
    """Noun phrases that are coordinated, "Ann and the son of Tom", as one participant."""

    def __init__(self, *members: Phrase) -> None:
        self.members = list(members)
        self.of: Words = frozenset()

    @cached_property
    def words(self) -> Words:
        """Once the group is read: the lemmas of all members, their owners and what follows "of"."""
        return self.of.union(*(member.meaning for member in self.members))


@dataclass
class Clause:
    """A clause as it is read.

    Attributes:
        subject, objects, obliques: its participants; an oblique with its preposition.
        verb: its verb group.
        complement: lemmas of the adjectives after "be".
        marker: the word that opens it, "before" or "if".
        relative: whether it hangs on a noun of another clause.
        begin: its first token.
    """

    begin: int = 0
    marker: str = ""
    relative: bool = False
    subject: Group | None = None
    verb: Phrase | None = None
    passive: bool = False
    objects: list[Group] = field(default_factory=list)
    obliques: list[tuple[str, Group]] = field(default_factory=list)
    complement: Words = frozenset()

    @property
    def roles(self) -> dict[str, Words]:
        """Words that fill each role: "agent", "patient", "to" or another preposition."""
        found: dict[str, Words] = {}
        head = self.verb.head if self.verb else ""
        objects = [group.words for group in self.objects]
        subject = self.subject.words if self.subject else frozenset()
        for preposition, group in self.obliques:
            found[preposition] = found.get(preposition, frozenset()) | group.words
        if self.passive:
            found["agent"] = found.pop("by", frozenset())
            if objects and head in TO_TWO:
                found |= {"to": subject, "patient": objects[0]}
            else:
                found["patient"] = subject
        else:
            found["agent"] = subject
            if len(objects) > 1 and head in TO_TWO and "to" not in found:
                found |= {"to": objects[0], "patient": objects[1]}
            elif objects:
                found["patient"] = objects[0]
        return {role: words for role, words in found.items() if words}


@lru_cache(maxsize=1 << 14)
def clauses(sentence: Sentence) -> tuple[Clause, ...]:
    """The clauses of a sentence that have a verb, in order of their beginning."""
    reader = _Reader(phrases(sentence))
    return tuple(clause for clause in reader.read() if clause.verb)


class _Reader:
    def __init__(self, found: tuple[Phrase, ...]) -> None:
        self.phrases = found
        self.clauses: list[Clause] = [Clause()]
        self.open: list[Clause] = []  # those that a relative clause interrupts
        self.group: Group | None = None  # the noun phrase just read
        self.preposition = ""
        self.waiting: Clause | None = None  # a participle before its subject: having paid, he left
        self._resumed: Clause | None = None

    @property
    def clause(self) -> Clause:
        return self.clauses[-1] if not self._resumed else self._resumed

    def read(self) -> list[Clause]:
        for place, phrase in enumerate(self.phrases):
            getattr(self, f"_{phrase.kind}")(place, phrase)
        return self.clauses

    def _start(self, clause: Clause) -> None:
        self.clauses.append(clause)
        self._resumed = None
        self.preposition = ""

    def _kind(self, place: int) -> str:
        return self.phrases[place].kind if 0 <= place < len(self.phrases) else "stop"

    def _noun(self, place: int, phrase: Phrase) -> None:
        clause = self.clause
        joined = self._kind(place - 1) in ("and", "comma")
        joined = joined and self._kind(place - 2) in ("noun", "adjective")
        if self.preposition == "of" and self.group:
            self.group.of |= phrase.meaning
        elif self.preposition:
            self.group = Group(phrase)
            clause.obliques.append((self.preposition, self.group))
        elif clause.verb and self._opens_clause(place) and not self._interrupts(clause):
            if self._infinitive(place + 1):  # ask Ann to leave
                clause.objects.append(Group(phrase))
            self.group = Group(phrase)
            self._start(Clause(phrase.begin, subject=self.group))
        elif joined and self.group:
            self.group.members.append(phrase)
        elif clause.verb:
            self.group = Group(phrase)
            if clause.verb.kind == "be" and not clause.subject:
                clause.subject = self.group  # Is Ann old?
            else:
                clause.objects.append(self.group)
        else:
            self.group = clause.subject = Group(phrase)
            if self.waiting:
                self.waiting.subject, self.waiting = self.group, None
            clause.begin = clause.begin or phrase.begin
        self.preposition = ""

    def _interrupts(self, clause: Clause) -> bool:
        """Whether a clause is relative and what it interrupts still waits for its verb."""
        return clause.relative and bool(self.open) and self.open[-1].verb is None

    def _opens_clause(self, place: int) -> bool:
        """Whether a noun phrase is the subject of a verb that follows it."""
        for k in range(place + 1, len(self.phrases)):
            kind = self._kind(k)
            if kind in ("verb", "be"):
                return not self.phrases[k].head.endswith("ing") and self._finite(k)
            if kind not in ("noun", "preposition", "adverb"):
                return False
        return False

    def _infinitive(self, place: int) -> bool:
        return self._kind(place) == "verb" and self.phrases[place].modifiers == ("to",)

    def _finite(self, place: int) -> bool:
        """Whether a verb group is no participle of a passive without "be"."""
        reduced = self._kind(place + 1) == "preposition" and self.phrases[place + 1].head == "by"
        return not (reduced and not self.phrases[place].passive)

    def _verb(self, place: int, phrase: Phrase) -> None:
        clause, before = self.clause, self._kind(place - 1)
        fronted = not clause.verb and not clause.subject and phrase.head in AUXILIARIES - {"be"}
        if fronted and self._kind(place + 1) == "noun" and self._opens_clause(place + 1):
            return  # Did Ann call?
        short = not self._finite(place) and phrase.end - phrase.begin == 1
        if short and before == "and" and clause.passive:
            self._start(Clause(phrase.begin, "", clause.relative, clause.subject, phrase, True))
        elif short and before in ("noun", "adverb", "comma") and self.group:
            if clause.verb is None:
                self.open.append(clause)
            self._start(Clause(phrase.begin, "", True, self.group, phrase, True))
        elif clause.verb is None:
            self._take(clause, phrase)
        elif self._interrupts(clause):
            self._resume(phrase)
        elif before in ("and", "comma", "adverb") and clause.subject:
            self._start(Clause(phrase.begin, "", clause.relative, clause.subject))
            self._take(self.clause, phrase)
        else:
            subject = self._implied(clause, phrase) if before == "noun" else clause.subject
            self._start(Clause(phrase.begin, "", True, subject))
            self._take(self.clause, phrase)
        self.preposition = ""

    _be = _verb

    def _implied(self, clause: Clause, verb: Phrase) -> Group | None:
        """Return the subject of an infinitive or participle behind a noun; None if it is not said."""
        asks = clause.verb is not None and clause.verb.head in _CONTROL
        if verb.modifiers == ("to",):
            return self.group if asks else None
        return None if any(group is self.group for _, group in clause.obliques) else self.group

    def _take(self, clause: Clause, verb: Phrase) -> None:
        clause.verb, clause.passive = verb, verb.passive

    def _resume(self, verb: Phrase) -> None:
        self._resumed = self.open.pop()
        self._take(self._resumed, verb)

    def _wh(self, place: int, phrase: Phrase) -> None:
        who = self.group if self.group and self._kind(place - 1) in ("noun", "comma") else None
        clause = self.clause
        if who is None:
            who = Group(phrase._replace(words=frozenset((phrase.head,))))
        elif clause.verb is None:
            self.open.append(clause)
        made = Clause(phrase.begin, "", True)
        later = range(place + 1, len(self.phrases))
        ahead = next((k for k in later if self._kind(k) != "adverb"), -1)
        if self._kind(ahead) in ("verb", "be"):
            aux = self.phrases[ahead].head in ("do", "be", "have", "will")
            asks = place == 0 and aux and self._kind(ahead + 1) == "noun"
            if asks and self._kind(ahead + 2) == "verb":
                made.objects.append(who)
                self._start(made)
                made.subject = None
                return
            made.subject = who
        else:
            made.objects.append(who)
        if clause.verb is None and clause.subject is None and not clause.obliques:
            made.relative = False
        self._start(made)

    def _preposition(self, place: int, phrase: Phrase) -> None:
        self.preposition = phrase.head

    def _adjective(self, place: int, phrase: Phrase) -> None:
        self.preposition = ""
        self.clause.complement |= phrase.words

    def _adverb(self, place: int, phrase: Phrase) -> None:
        pass

    def _and(self, place: int, phrase: Phrase) -> None:
        self.preposition = ""

    def _comma(self, place: int, phrase: Phrase) -> None:
        self.preposition = ""
        clause = self.clause
        if clause.relative and self.open:
            self._resumed = self.open.pop()
        elif clause.verb and (clause.marker or not clause.subject):
            self.waiting = None if clause.subject else clause
            self._start(Clause())
            self.group = None

    def _stop(self, place: int, phrase: Phrase) -> None:
        self._start(Clause())
        self.open.clear()
        self.group = None

    def _marker(self, place: int, phrase: Phrase) -> None:
        if phrase.head in MARKERS:
            self._start(Clause(phrase.begin, phrase.head))
            self.group = None
