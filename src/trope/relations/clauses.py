"""Predicates and their arguments: who does what to whom, through coordination, control, passive.

`Tree` is a read-only view of a parsed sentence: children, names, coordinations, spans.

Relation names are those of Universal Dependencies v2. Subtypes (nsubj:pass, obl:agent, …) are
used where the tree has them; where it has none, passives are known by their form.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from trope.core.records import ROOT, Parse
from trope.lexicon.verbs import Verbs

MAX_CONJUNCTS = 16
"""Longer coordinations are cut: they are lists, and pairs of them would grow without bound."""


class Tree:
    """The tree of one sentence."""

    __slots__ = ("_spans", "children", "parse", "root")

    def __init__(self, parse: Parse) -> None:
        self.parse = parse
        self.children: list[list[int]] = [[] for _ in parse.heads]
        self.root = 0
        self._spans: list[list[int]] | None = None
        roots = []
        for word, head in enumerate(parse.heads):
            if head == ROOT:
                roots.append(word)
            else:
                self.children[head].append(word)
        if roots:
            self.root = roots[0]

    def name_head(self, word: int) -> int:
        """The word that stands for a name: its last flat word, or the word itself."""
        deprels = self.parse.deprels
        last = word
        while True:
            for child in reversed(self.children[last]):
                if child > last and deprels[child].partition(":")[0] == "flat":
                    last = child
                    break
            else:
                return last

    def conjuncts(self, word: int) -> list[int]:
        """The word and the nominal words coordinated with it, in the order of the tree."""
        deprels, upos = self.parse.deprels, self.parse.upos
        found = [word]
        for member in found:
            found += [
                child
                for child in self.children[member]
                if deprels[child] == "conj" and upos[child] not in ("VERB", "AUX")
            ]
            if len(found) >= MAX_CONJUNCTS:
                return found[:MAX_CONJUNCTS]
        return found

    def span(self, word: int) -> tuple[int, int]:
        """First word and end (exclusive) of all that hangs from a word."""
        if self._spans is None:
            self._spans = self._all_spans()
        start, end = self._spans[word]
        return start, end

    def _all_spans(self) -> list[list[int]]:
        """The span of every word, children before heads."""
        heads = self.parse.heads
        spans = [[word, word + 1] for word in range(len(heads))]
        order = [word for word, head in enumerate(heads) if head == ROOT]
        for word in order:
            order.extend(self.children[word])
        for word in reversed(order):
            head = heads[word]
            if head != ROOT:
                below, above = spans[word], spans[head]
                above[0] = min(above[0], below[0])
                above[1] = max(above[1], below[1])
        return spans


_ROLES = {
    "nsubj": "subjects",
    "nsubj:pass": "subjects",
    "obj": "objects",
    "iobj": "recipients",
    "obl": "obliques",
    "obl:agent": "agents",
    "aux": "auxiliaries",
    "xcomp": "complements",
}
_SUBJECTS = frozenset(
    {"nsubj", "nsubj:pass", "nsubj:outer", "csubj", "csubj:pass", "csubj:outer", "expl"}
)
_PASSIVE = frozenset({"nsubj:pass", "csubj:pass", "aux:pass", "obl:agent"})
_CLAUSAL = frozenset({"ccomp", "xcomp"})
_AUXILIARY = frozenset({"aux", "aux:pass", "cop"})
_PARTICLES = frozenset({"ADP", "ADV", "PART"})
_NEGATIONS = frozenset({"not", "n't", "n’t", "nt", "never"})
_S_CLITICS = frozenset({"'s", "’s", "s"})


class Frame:
    """A word with what depends on it, sorted by role; every list holds heads as the tree has them.

    `has_subject` is also true where the subject is none that counts (a clause, an expletive).
    """

    __slots__ = (
        "agents",
        "auxiliaries",
        "clausal",
        "complements",
        "has_subject",
        "negated",
        "objects",
        "obliques",
        "particle",
        "passive_mark",
        "recipients",
        "subjects",
    )

    def __init__(self) -> None:
        self.subjects: list[int] = []
        self.objects: list[int] = []
        self.recipients: list[int] = []
        self.agents: list[int] = []
        self.obliques: list[int] = []
        self.auxiliaries: list[int] = []
        self.complements: list[int] = []
        self.has_subject = self.passive_mark = self.clausal = self.negated = False
        self.particle: int | None = None


class Clauses:
    """The predicates of a sentence and their arguments, worked out once and when asked for."""

    __slots__ = ("_frames", "_passive", "_subjects", "focus", "parse", "tree", "verbs")

    def __init__(self, parse: Parse, verbs: Verbs) -> None:
        self.parse = parse
        self.verbs = verbs
        self.tree = Tree(parse)
        self._frames: dict[int, Frame] = {}
        self._passive: dict[int, bool] = {}
        self._subjects: dict[int, list[int]] = {}
        self.focus = self._find_focus() if parse.heads else 0

    def is_lexical(self, word: int) -> bool:
        """Whether a word is a verb, and neither auxiliary, modal nor copula."""
        return self.parse.upos[word] == "VERB" and not self.is_auxiliary(word)

    def verb_class(self, verb: int) -> str:
        """Light, aspectual, weak or, for all other verbs, the empty string."""
        return self.verbs.classes.get(self.parse.lemmas[verb].lower(), "")

    def is_auxiliary(self, word: int) -> bool:
        """Whether a word is an auxiliary, a modal or a copula, by tag, relation or lemma."""
        parse = self.parse
        return (
            parse.upos[word] == "AUX"
            or parse.deprels[word] in _AUXILIARY
            or parse.lemmas[word].lower() in self.verbs.auxiliary
        )

    def frame(self, word: int) -> Frame:
        """The dependents of a word by role."""
        frame = self._frames.get(word)
        if frame is None:
            frame = self._frames[word] = self._make_frame(word)
        return frame

    def subjects(self, word: int) -> list[int]:
        """Subjects of a predicate, its own or handed on; of a passive, what is acted on."""
        known = self._subjects
        path = []
        found: list[int] | None = None
        while found is None:
            if word in known:
                found = known[word]
                break
            path.append(word)
            frame = self.frame(word)
            relation, head = self.parse.deprels[word], self.parse.heads[word]
            if frame.has_subject:
                found = self._expand(frame.subjects)
            elif relation not in ("conj", "xcomp") or head == ROOT:
                found = []
            elif relation == "xcomp":
                found = self._controllers(head)
            word = head
        for step in path:
            known[step] = found
        return found

    def objects(self, word: int) -> list[int]:
        """Direct objects of a verb: its own, or one that it shares with an earlier conjunct."""
        frame = self.frame(word)
        if frame.objects:
            return self._expand(frame.objects)
        if frame.clausal or not self._is_conjunct(word) or self.is_passive(word):
            return []
        return self._after(word, self.frame(self.parse.heads[word]).objects)

    def agents(self, word: int) -> list[int]:
        """Who acts in a passive: "by voters"."""
        frame = self.frame(word)
        if frame.agents:
            return self._expand(frame.agents)
        if self._is_conjunct(word):
            shared = self._after(word, self.frame(self.parse.heads[word]).agents)
            if shared:
                return shared
        if frame.passive_mark:
            return []  # where the tree marks passives, a plain "by" names no agent
        return self._expand(filter(self._is_by_phrase, frame.obliques))

    def is_passive(self, word: int) -> bool:
        """Whether a verb is passive, by the subtypes of the tree or by its form."""
        chain = []
        while word not in self._passive:
            chain.append(word)
            verdict = self._passive_alone(word)
            if verdict is not None:
                self._passive[word] = verdict
            else:
                word = self.parse.heads[word]
        for member in chain:
            self._passive[member] = self._passive[word]
        return self._passive[word]

    def is_negated(self, word: int) -> bool:
        """Whether "not" or "never" stands with a verb, or with the predicate that raises it."""
        while not self.frame(word).negated:
            head = self.parse.heads[word]
            if self.parse.deprels[word] != "xcomp" or head == ROOT or not self._is_raising(head):
                return False
            word = head
        return True

    def _make_frame(self, word: int) -> Frame:
        frame = Frame()
        parse = self.parse
        relations = set()
        copula = mark = -1
        for child in self.tree.children[word]:
            relation = parse.deprels[child]
            relations.add(relation)
            role = _ROLES.get(relation)
            if role is not None:
                getattr(frame, role).append(child)
            elif relation == "advmod":
                frame.negated |= parse.words[child].lower() in _NEGATIONS
            elif relation == "mark":
                mark = child
            elif relation == "cop":
                copula = child
            elif self._is_particle(word, child):
                frame.particle = child
        frame.has_subject = not relations.isdisjoint(_SUBJECTS)
        frame.passive_mark = not relations.isdisjoint(_PASSIVE)
        frame.clausal = not relations.isdisjoint(_CLAUSAL)
        if 0 <= copula < mark:
            # "The plan is to cut taxes": the subject is that of "is", not of "cut".
            frame.subjects = [subject for subject in frame.subjects if subject > copula]
        return frame

    def _is_particle(self, verb: int, child: int) -> bool:
        relation = self.parse.deprels[child]
        if relation == "compound:prt":
            return True
        return relation == "compound" and child > verb and self.parse.upos[child] in _PARTICLES

    def _expand(self, heads: Iterable[int]) -> list[int]:
        """Each coordinated word of each phrase, names by their last word."""
        tree = self.tree
        words = (tree.name_head(word) for head in heads for word in tree.conjuncts(head))
        return list(islice(words, MAX_CONJUNCTS))

    def _controllers(self, governor: int) -> list[int] | None:
        """Objects of the verb above an open complement, None where its subject is handed on."""
        frame = self.frame(governor)
        objects = frame.objects or frame.recipients
        if objects and not self.is_passive(governor):
            return self._expand(objects)
        return None

    def _is_conjunct(self, word: int) -> bool:
        head = self.parse.heads[word]
        return self.parse.deprels[word] == "conj" and ROOT < head < word and self.is_lexical(head)

    def _after(self, word: int, phrases: list[int]) -> list[int]:
        """Those phrases that begin after a word, so that it may share them."""
        return self._expand(
            phrase for phrase in phrases if phrase > word and self.tree.span(phrase)[0] > word
        )

    def _passive_alone(self, word: int) -> bool | None:
        """Whether a verb is passive; None where it follows its first conjunct."""
        frame = self.frame(word)
        if frame.passive_mark:
            return True
        xpos = self.parse.xpos[word]
        if frame.auxiliaries:
            return self._has_passive_auxiliary(word, frame)
        if xpos != "VBN":
            return False
        if not frame.has_subject and self._is_conjunct(word):
            return None
        by_phrase = any(map(self._is_by_phrase, frame.obliques))
        return frame.has_subject and not frame.objects and by_phrase

    def _has_passive_auxiliary(self, word: int, frame: Frame) -> bool:
        parse = self.parse
        last = frame.auxiliaries[-1]
        if parse.lemmas[last].lower() not in ("be", "get"):
            return False
        if frame.objects and parse.words[last].lower() in _S_CLITICS:
            return False  # "she 's won the cup": "has", even if the lemma is "be"
        xpos = parse.xpos[word]
        if xpos.startswith("V"):
            return xpos in ("VBN", "VBD")
        return not parse.words[word].lower().endswith(("ing", "in", "in'"))

    def _is_by_phrase(self, oblique: int) -> bool:
        """Whether a plain oblique is "by" and somebody, not "by" and a time."""
        parse = self.parse
        if parse.upos[oblique] == "NUM" or parse.lemmas[oblique].lower() in self.verbs.time:
            return False
        return any(
            parse.deprels[child] == "case" and parse.words[child].lower() == "by"
            for child in self.tree.children[oblique]
        )

    def _find_focus(self) -> int:
        """The root, or the infinitive to which a raising root hands that part on."""
        focus = self.tree.root
        while self._is_raising(focus):
            infinitive = self._infinitive(focus)
            if infinitive is None:
                break
            focus = infinitive
        return focus

    def _infinitive(self, predicate: int) -> int | None:
        """The first open complement that begins with "to"."""
        parse = self.parse
        for complement in self.frame(predicate).complements:
            for child in self.tree.children[complement]:
                if parse.deprels[child] == "mark" and parse.words[child].lower() in ("to", "na"):
                    return complement
        return None

    def _is_raising(self, word: int) -> bool:
        form = self.parse.words[word].lower()
        if form in self.verbs.raising:
            return True
        if form not in self.verbs.raising_participle:
            return False
        return self.parse.xpos[word] != "VBD" or self.is_passive(word)
