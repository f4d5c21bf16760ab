"""Features of a name: its role in the sentence, and the words around it.

`role_features` reads trees, or relations that people annotated; `shallow_features` needs neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trope.core.records import ROOT, Parse
from trope.lexicon.verbs import VerbClasses
from trope.lexicon.wordnet import semantic_classes
from trope.tasks.metonymy.task import NameInContext

Features = dict[str, float]

_INSIDE_NAMES = ("flat", "compound")
_ARGUMENTS = ("nsubj", "obj", "obl", "xcomp", "ccomp")


@dataclass(frozen=True, slots=True)
class Role:
    """The relation of a name to another word: "subj", "pp of", "gen" …; `tag` is that word's."""

    name: str
    lemma: str = ""
    tag: str = ""
    at: int = ROOT


def role_features(name: NameInContext, verb_classes: VerbClasses | None = None) -> Features:
    """Role, head and its classes, determiner, number and neighbours of a name.

    `verb_classes` are those of VerbNet, where it is available; WordNet's are always used.
    """
    found: Features = {}
    roles = list(_given_roles(name)) if name.roles else list(tree_roles(name))
    for role in roles:
        found |= _role_row(role)
        if role.at != ROOT:
            found |= _company(name.parse, role, name)
        if role.tag == "VERB":
            for kind in (verb_classes or {}).get(role.lemma, ()):
                found |= {f"{role.name}:{kind}": 1.0, f"head:{kind}": 1.0}
    if len(roles) > 1:
        found["+".join(sorted(role.name for role in roles))] = 1.0
    found |= _form(name, name_head(name))
    return found | _neighbours(name)


def shallow_features(name: NameInContext) -> Features:
    """The words and tags around a name, and its own number: no tree, no classes."""
    words = [word.lower() for word in name.parse.words]
    found: Features = {f"plural={_plural(name)}": 1.0}
    for offset in (-3, -2, -1, 0, 1, 2):
        at = name.first + offset if offset < 0 else name.last + offset
        inside = 0 <= at < len(words)
        found[f"word{offset}={words[at] if inside else ''}"] = 1.0
        found[f"tag{offset}={name.parse.upos[at] if inside else ''}"] = 1.0
    for at, (lemma, tag) in enumerate(zip(name.parse.lemmas, name.parse.upos, strict=True)):
        if not name.first <= at < name.last and tag in ("NOUN", "VERB", "ADJ"):
            found[f"near={lemma.lower()}"] = 1.0
    return found


def name_head(name: NameInContext) -> int:
    """The word of the name that the rest of it hangs from."""
    inside = range(name.first, name.last)
    tops = [at for at in inside if name.parse.heads[at] not in inside]
    names = [at for at in tops if name.parse.upos[at] in ("PROPN", "NOUN")]
    return (names or tops or [name.last - 1])[-1]


def tree_roles(name: NameInContext) -> Iterator[Role]:
    """The roles of a name in the tree of its sentence, its own first.

    A conjunct has the role of the first one, too; a part of a longer name ("the US dollar") is a
    premodifier of it.
    """
    parse, at = name.parse, name_head(name)
    seen: set[int] = set()
    linked = ""
    while at not in seen:
        seen.add(at)
        base, head = parse.deprels[at].partition(":")[0], parse.heads[at]
        yield _tree_role(parse, at, linked)
        if base in ("conj", "appos") and head != ROOT:
            linked, at = f"{base} ", head


_TASK_ROLES = {"appos": "app", "subj": "subj", "subjpassive": "subjpassive", "obj": "obj",
               "iobj": "iobj", "gen": "gen", "premod": "premod", "pred": "pred"}  # fmt: skip
_DEPENDENTS = {"amod": "hasadj", "appos": "hasapp", "nmod:poss": "hasgen", "nmod": "haspp",
               "compound": "haspremod"}  # fmt: skip


def task_roles(name: NameInContext) -> list[tuple[str, str]]:
    """The (role, lemma) pairs of a name by the task's scheme, read from its tree.

    The lemma is the other word, of a prepositional phrase the preposition; a name without any
    relation of the scheme has the role "nohead".
    """
    parse, at = name.parse, name_head(name)
    found = []
    for role in tree_roles(name):
        kind, _, preposition = role.name.removeprefix("conj ").partition(" ")
        if kind == "pp":
            found.append(("pp", preposition))
        elif kind in _TASK_ROLES and (role.lemma or kind == "pred"):
            found.append((_TASK_ROLES[kind], role.lemma))
    for other, (head, relation) in enumerate(zip(parse.heads, parse.deprels, strict=True)):
        kind = _DEPENDENTS.get(relation, "")
        if head == at and kind and not name.first <= other < name.last:
            found.append((kind, parse.lemmas[other].lower()))
    return list(dict.fromkeys(found)) or [("nohead", "")]


def _tree_role(parse: Parse, at: int, linked: str) -> Role:
    head = parse.heads[at]
    if head == ROOT:
        return Role(f"{linked}{'pred' if _child(parse, at, 'cop') else 'root'}")
    role = f"{linked}{_role_name(parse, at)}"
    return Role(role, parse.lemmas[head].lower(), parse.upos[head], head)


def _role_name(parse: Parse, at: int) -> str:
    relation = parse.deprels[at]
    base = relation.partition(":")[0]
    if base == "nsubj":
        return "subjpassive" if "pass" in relation or _passive(parse, parse.heads[at]) else "subj"
    if base == "nmod" and "poss" in relation:
        return "gen"
    if base in ("nmod", "obl"):
        preposition = _child(parse, at, "case")
        if preposition in ("'s", "'", "’s", "’"):
            return "gen"
        return f"pp {preposition}" if preposition else base
    if base in _INSIDE_NAMES:
        return "premod"
    return base


def _passive(parse: Parse, verb: int) -> bool:
    return _child(parse, verb, "aux:pass") != ""


def _child(parse: Parse, at: int, relation: str) -> str:
    """The lemma of the first word that hangs from another by a relation, empty if there is none."""
    for lemma, head, deprel in zip(parse.lemmas, parse.heads, parse.deprels, strict=True):
        if head == at and (deprel == relation or deprel.startswith(f"{relation}:")):
            return lemma.lower()
    return ""


def _given_roles(name: NameInContext) -> Iterator[Role]:
    """The roles that people annotated; the tag of the other word is guessed from its role."""
    for role, lemma in name.roles:
        lemma = lemma.lower()
        if role == "pp":
            yield Role(f"pp {lemma}", *_governor(name))
        elif role in ("nohead", "root"):
            yield Role("root")
        else:
            tag = "VERB" if role in ("subj", "subjpassive", "obj", "iobj") else "NOUN"
            yield Role("appos" if role == "app" else role, lemma, tag)


def _governor(name: NameInContext) -> tuple[str, str]:
    """What the prepositional phrase of a name hangs from in the tree: annotations leave it out."""
    parse = name.parse
    head = parse.heads[name_head(name)]
    return ("", "") if head == ROOT else (parse.lemmas[head].lower(), parse.upos[head])


def _role_row(role: Role) -> Features:
    row: Features = {f"role={role.name}": 1.0, f"role={role.name.partition(' ')[0]}": 1.0}
    if not role.lemma:
        return row
    row |= {f"{role.name}={role.lemma}": 1.0, f"head={role.lemma}": 1.0}
    row[f"{role.name}:{role.tag}"] = 1.0
    for number, kind in enumerate(semantic_classes(role.lemma, role.tag)):
        row[f"{role.name}:{kind}"] = 1.0 / (1 + number)
        row[f"head:{kind}"] = 1.0 / (1 + number)
    return row


def _company(parse: Parse, role: Role, name: NameInContext) -> Features:
    """What else hangs from the head: whether a verb has an object, what its arguments are."""
    row: Features = {}
    for at, (head, relation) in enumerate(zip(parse.heads, parse.deprels, strict=True)):
        base = relation.partition(":")[0]
        if head != role.at or name.first <= at < name.last or base not in _ARGUMENTS:
            continue
        row[f"{role.name} with {base}"] = 1.0
        for kind in semantic_classes(parse.lemmas[at], parse.upos[at])[:1]:
            row[f"{role.name} with {base}:{kind}"] = 1.0
    return row


def _form(name: NameInContext, top: int) -> Features:
    parse = name.parse
    row: Features = {
        f"determiner={_child(parse, top, 'det') or 'none'}": 1.0,
        f"plural={_plural(name)}": 1.0,
        f"capitals={name.name.isupper()}": 1.0,
        f"words={min(name.last - name.first, 3)}": 1.0,
    }
    for relation in ("amod", "nummod", "nmod", "appos", "acl", "conj", "compound"):
        if lemma := _child(parse, top, relation):
            row[f"has {relation}"] = 1.0
            row[f"has {relation}={lemma}"] = 1.0
    return row


def _plural(name: NameInContext) -> bool:
    return name.parse.xpos[name_head(name)] in ("NNPS", "NNS")


def _neighbours(name: NameInContext) -> Features:
    parse = name.parse
    row: Features = {}
    for side, at in (("before", name.first - 1), ("after", name.last)):
        inside = 0 <= at < len(parse)
        row[f"{side}={parse.words[at].lower() if inside else ''}"] = 1.0
        row[f"{side} tag={parse.upos[at] if inside else ''}"] = 1.0
    return row
