"""A reader that knows the right answers to a few texts, and one that gets relations wrong."""

import hashlib
from bisect import bisect_left
from dataclasses import replace

from trope.core.records import Analysis, Relation, SentenceSpan, Token
from trope.corpora.conllu import read_conllu
from trope.evaluate.syntax import join_document, split_documents

# two documents; the first has two paragraphs and a multiword token, and two sentences of its
# first paragraph with no blank between them
TREEBANK = """\
# newdoc id = d1
# newpar id = d1-p1
# sent_id = d1-1
# text = We don't nap.
1\tWe\twe\tPRON\tPRP\t_\t4\tnsubj\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_
4\tnap\tnap\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
5\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\tSpaceAfter=No

# sent_id = d1-2
# text = Storms wreck barns
1\tStorms\tstorm\tNOUN\tNNS\t_\t2\tnsubj\t_\t_
2\twreck\twreck\tVERB\tVBP\t_\t0\troot\t_\t_
3\tbarns\tbarn\tNOUN\tNNS\t_\t2\tobj\t_\t_

# newpar id = d1-p2
# sent_id = d1-3
# text = Odd!
1\tOdd\todd\tADJ\tJJ\t_\t0\troot\t_\tSpaceAfter=No
2\t!\t!\tPUNCT\t.\t_\t1\tpunct\t_\t_

# newdoc id = d2
# newpar id = d2-p1
# sent_id = d2-1
# text = Go
1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_

"""


HEADLINE = "Rates crush small shops"


TWEET = "pls fix the trains #late"


FILES = {
    "ewt": "ewt/en_ewt-ud-test.conllu",
    "tweebank": "tweebank/en-ud-tweet-test.fixed.conllu",
    "gum": "gum/en_gum-ud-test.conllu",
}


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def span(text, word):
    return [text.index(word), text.index(word) + len(word)]


class GoldPipeline:
    """Knows the right answers to the texts of these tests."""

    model_sha256 = "feed"

    def __init__(self, data):
        path = data / FILES["ewt"]
        sentences = list(read_conllu(path))
        self.parses = {s.to_parse().words: s.to_parse() for s in sentences}
        self.documents = dict(join_document(group) for group in split_documents(sentences))

    def parse(self, sentences):
        return [self.parses[tuple(words)] for words in sentences]

    def analyze_many(self, texts, *, kind="plain"):
        for text in texts:
            yield self.plain(text) if kind == "plain" else self.relate(text)

    def plain(self, text):
        placed = self.documents[text]
        tokens = tuple(
            Token(w.form, w.start, w.end, w.upos, "", w.form, w.head, w.deprel)
            for w in self.split_multiwords(placed.words)
        )
        starts = [token.start for token in tokens]
        sentences = tuple(
            SentenceSpan(start, end, bisect_left(starts, start), bisect_left(starts, end))
            for start, end in placed.sentences
        )
        return Analysis(text, tokens, sentences, ())

    def split_multiwords(self, words):
        """Each word in its own characters, as a tokeniser without multiword tokens has it."""
        at = 0
        for word in words:
            start = max(at, word.start) if word.multiword else word.start
            at = start + len(word.form)
            yield replace(word, start=start, end=at)

    def relate(self, text):
        tags = {HEADLINE: ("NOUN", "VERB", "ADJ", "NOUN")}.get(
            text, ("INTJ", "VERB", "DET", "NOUN", "X")
        )
        tokens, at = [], 0
        for form, tag in zip(text.split(), tags, strict=True):
            start = text.index(form, at)
            at = start + len(form)
            head = -1 if tag == "VERB" else 1
            tokens.append(Token(form, start, at, tag, "", form, head, "dep"))
        subject = 0 if text == HEADLINE else None
        kind = "svo" if text == HEADLINE else "vo"
        found = Relation(kind, 1, subject, 3, 1, 4, root=True, kept=True)
        return Analysis(
            text, tuple(tokens), (SentenceSpan(0, len(text), 0, len(tokens)),), (found,)
        )


class WrongRelations(GoldPipeline):
    """Finds the relations and more, of given reasons."""

    def __init__(self, data, *more):
        super().__init__(data)
        self.more = more

    def relate(self, text):
        analysis = super().relate(text)
        return replace(analysis, relations=(*analysis.relations, *self.more))
