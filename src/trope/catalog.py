"""The one list of names: what can be loaded by name, where it lives, what it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from trope.core.registry import Entry, Registry

Reader = Callable[..., Iterator[Any]]  # a path, a stream or "-" in, records out

READERS: Registry[Reader] = Registry(
    "reader",
    {
        "conll-metonymy": Entry(
            "trope.corpora.relocar:read_conll_metonymy", "CoNLL: metonymic places of news."
        ),
        "conllu": Entry("trope.corpora.conllu:read_conllu", "Treebanks in CoNLL-U."),
        "documents": Entry("trope.corpora.plain_text:read_documents", "Texts between blank lines."),
        "conceptual-metaphors": Entry(
            "trope.corpora.conceptual_metaphors:read_metaphors",
            "Metaphors with frames and role mappings, YAML.",
            extra="systems",
        ),
        "frames": Entry(
            "trope.corpora.conceptual_metaphors:read_frames",
            "Frames with roles and lexical units, YAML.",
            extra="systems",
        ),
        "bizzoni-lappin": Entry(
            "trope.corpora.figures:read_bizzoni_lappin", "Graded paraphrases of metaphors."
        ),
        "coinco": Entry(
            "trope.corpora.substitution:read_coinco", "CoInCo: substitutes of all content words."
        ),
        "emobank": Entry("trope.corpora.emobank:read_emobank", "EmoBank: valence and arousal."),
        "epie": Entry("trope.corpora.idioms:read_epie", "EPIE: possible idioms in sentences."),
        "geowebnews": Entry(
            "trope.corpora.relocar:read_geowebnews", "GeoWebNews: metonymic places of news, JSON."
        ),
        "hyperboles": Entry("trope.corpora.figures:read_hyperboles", "Hyperboles and metaphors."),
        "hypo": Entry("trope.corpora.figures:read_hypo", "HYPO: hyperboles with paraphrases."),
        "isarcasm": Entry(
            "trope.corpora.figures:read_isarcasm", "iSarcasmEval: tweets meant sarcastically."
        ),
        "impli": Entry("trope.corpora.figures:read_impli", "IMPLI: figurative inferences."),
        "lcc": Entry("trope.corpora.verb_corpora:read_lcc", "LCC: metaphorical spans of texts."),
        "lcc-domain-names": Entry(
            "trope.corpora.conceptual_metaphors:read_concept_names", "Names of LCC's concepts."
        ),
        "lcc-domains": Entry(
            "trope.corpora.conceptual_metaphors:read_concept_texts",
            "LCC: source and target concepts of metaphors.",
        ),
        "leaks": Entry(
            "trope.corpora.leaks:read_leaks", "Training rows that also occur in a test set."
        ),
        "lines": Entry("trope.corpora.plain_text:read_line_texts", "One text per line."),
        "magpie": Entry(
            "trope.corpora.idioms:read_magpie", "MAGPIE: idioms used as such or literally."
        ),
        "master-metaphor-list": Entry(
            "trope.corpora.conceptual_metaphors:read_master_list",
            "Sentences of the Master Metaphor List.",
        ),
        "mean": Entry("trope.corpora.mean:read_mean", "MEAN: metaphoric analogies."),
        "metanet": Entry(
            "trope.corpora.conceptual_metaphors:read_metanet_examples", "Sentences of MetaNet."
        ),
        "moh": Entry(
            "trope.corpora.verb_corpora:read_moh", "MOH: senses of verbs, the original file."
        ),
        "moh-formatted": Entry(
            "trope.corpora.verb_corpora:read_moh_formatted",
            "MOH: verbs in sentences, split into words.",
        ),
        "moh-x": Entry(
            "trope.corpora.verb_corpora:read_moh_x", "MOH-X: verbs with their arguments."
        ),
        "msd23": Entry("trope.corpora.figures:read_msd23", "MSD23: similes in dialogues."),
        "munch": Entry(
            "trope.corpora.substitution:read_munch", "MUNCH: paraphrases of metaphorical words."
        ),
        "munch-pairs": Entry(
            "trope.corpora.substitution:read_munch_pairs", "MUNCH: apt and inapt paraphrases."
        ),
        "naacl2018-key": Entry(
            "trope.corpora.vua:read_vua_key", "Keys of the shared tasks of 2018 and 2020."
        ),
        "newsmet": Entry(
            "trope.corpora.newsmet:read_newsmet", "NewsMet: headlines and their candidates."
        ),
        "newsmet-test": Entry(
            "trope.corpora.newsmet:read_newsmet_test", "NewsMet: the custom test sets."
        ),
        "noun-compounds": Entry(
            "trope.corpora.idioms:read_compound_senses", "Noun compounds with their meanings."
        ),
        "pie": Entry("trope.corpora.idioms:read_pie", "PIE: sentences by class of idiom."),
        "relocar": Entry("trope.corpora.relocar:read_relocar", "ReLocaR: metonymic places."),
        "rows": Entry("trope.corpora.tables:read_rows", "Any CSV, TSV or JSON lines."),
        "semeval2007": Entry(
            "trope.corpora.semeval2007:read_samples", "SemEval-2007 T8: names and their readings."
        ),
        "semeval2007-roles": Entry(
            "trope.corpora.semeval2007_layers:read_roles", "SemEval-2007 T8: roles of the names."
        ),
        "semeval2007-standoff": Entry(
            "trope.corpora.semeval2007_layers:read_standoff",
            "SemEval-2007 T8: names by place in the BNC.",
        ),
        "semeval2007-tagged": Entry(
            "trope.corpora.semeval2007_layers:read_tagged", "SemEval-2007 T8: words with BNC tags."
        ),
        "semeval2022": Entry(
            "trope.corpora.idioms:read_compounds", "SemEval-2022 T2: noun compounds in context."
        ),
        "swords": Entry("trope.corpora.substitution:read_swords", "SWORDS: judged substitutes."),
        "tagged-tokens": Entry(
            "trope.corpora.tagged_tokens:read_tagged_tokens",
            "Tokens tagged B-X, I-X or O: names, idioms, metaphors.",
        ),
        "texts": Entry("trope.corpora.tables:read_texts", "Tables with a column of texts."),
        "trofi": Entry("trope.corpora.verb_corpora:read_trofi", "TroFi: the example base."),
        "trofi-formatted": Entry(
            "trope.corpora.verb_corpora:read_trofi_formatted", "TroFi: verbs in sentences, as CSV."
        ),
        "tsv-adjective-noun": Entry(
            "trope.corpora.verb_corpora:read_adjective_nouns", "TSV: pairs of adjective and noun."
        ),
        "tsv-svo": Entry("trope.corpora.verb_corpora:read_svo", "TSV: subject, verb and object."),
        "tsv-svo-sentences": Entry(
            "trope.corpora.verb_corpora:read_svo_sentences", "TSV: the same with sentences."
        ),
        "uner": Entry(
            "trope.corpora.tagged_tokens:read_uner", "Universal NER: names in treebank sentences."
        ),
        "vua-verbs": Entry("trope.corpora.vua:read_vua_verbs", "VUA-18: verbs in sentences."),
        "vua-words": Entry("trope.corpora.vua:read_vua_words", "VUA-18: a label for every word."),
        "vuamc": Entry("trope.corpora.vua:read_vuamc", "The VUA corpus of the shared tasks."),
        "wimcor": Entry("trope.corpora.relocar:read_wimcor", "WiMCor: harvested place names."),
    },
)
"""Corpus readers; `trope.corpora` describes the corpora themselves."""

AUDITS: Registry[tuple[Callable[..., Any], ...]] = Registry(
    "data set to audit",
    {
        name: Entry(f"trope.audit.{module}:{name.upper()}", summary, extra="systems")
        for module, name, summary in (
            ("ordinary_sets", "emobank", "Valence of prose."),
            ("ordinary_sets", "idioms", "Idioms and literal uses."),
            ("data_sets", "lcc", "Spans of political and economic text."),
            ("data_sets", "mean", "Metaphoric analogies."),
            ("ordinary_sets", "meta4xnli", "Words that readers notice."),
            ("data_sets", "moh", "Senses of verbs."),
            ("ordinary_sets", "names", "Words in names."),
            ("data_sets", "newsmet", "Headlines, and verbs in them."),
            ("ordinary_sets", "novelty", "The most novel metaphors."),
            ("ordinary_sets", "relocar", "Place names, literal or not."),
            ("data_sets", "semeval2015", "Sentiment of figurative tweets."),
            ("data_sets", "tsv", "Adjective and noun; subject, verb and object."),
            ("data_sets", "vua18", "Words, and verbs."),
        )
    },
)
"""Data sets of `trope audit`."""

DETECTORS: Registry[Callable[..., Any]] = Registry(
    "detector",
    {
        "encoder": Entry(
            "trope.tasks.metaphor.encoder_heads:build", "The heads that ship, tiers small and base."
        ),
        "logistic": Entry(
            "trope.tasks.metaphor.logistic:build",
            "A linear model of lemma, WordNet classes and concreteness.",
            extra="systems",
        ),
        "seed-abstractness": Entry(
            "trope.tasks.metaphor.seed_similarity:build_abstractness", "Abstract objects, by seeds."
        ),
        "seed-contexts": Entry(
            "trope.tasks.metaphor.transformers_detector:build_contexts",
            "Likeness to fifty seeds in sentences, by an encoder of your choice.",
            extra="hub",
        ),
        "seed-neighbours": Entry(
            "trope.tasks.metaphor.seed_similarity:build_neighbours", "Likeness to fifty seeds."
        ),
        "seed-similarity": Entry(
            "trope.tasks.metaphor.seed_similarity:build", "Similarity to a few known metaphors."
        ),
        "transformers": Entry(
            "trope.tasks.metaphor.transformers_detector:build",
            "Any fine-tuned Hugging Face encoder, for words or sentences.",
            extra="hub",
        ),
    },
)
"""What makes a `trope.tasks.metaphor.task.Detector`; options are keywords."""

METONYMY_SYSTEMS: Registry[Callable[..., Any]] = Registry(
    "metonymy system",
    {
        "encoder": Entry(
            "trope.tasks.metonymy.encoder_head:build", "The head that ships, tiers small and base."
        ),
        "majority": Entry(
            "trope.tasks.metonymy.baselines:build_majority", "The most frequent reading, always."
        ),
        "roles": Entry(
            "trope.tasks.metonymy.baselines:build_roles",
            "A linear model of the name's role, head and its classes.",
            extra="systems",
        ),
        "shallow": Entry(
            "trope.tasks.metonymy.baselines:build_shallow",
            "A linear model of the words and tags around the name.",
            extra="systems",
        ),
        "transformers": Entry(
            "trope.tasks.metonymy.transformers_system:build",
            "Any fine-tuned Hugging Face encoder that reads a marked name.",
            extra="hub",
        ),
    },
)
"""What makes a `trope.tasks.metonymy.task.MetonymySystem`; options are keywords."""

SENTIMENT_SYSTEMS: Registry[Callable[..., Any]] = Registry(
    "sentiment system",
    {
        "constant": Entry(
            "trope.tasks.sentiment.baselines:build_constant", "The same score for all."
        ),
        "encoder": Entry(
            "trope.tasks.sentiment.encoder_head:build", "The head that ships, tiers small and base."
        ),
        "lexicon": Entry(
            "trope.tasks.sentiment.lexicon_system:build",
            "Lexica, marks of figures, tags and tree, boosted trees.",
            extra="systems",
        ),
        **{
            name: Entry(f"trope.tasks.sentiment.baselines:{function}", summary, extra="systems")
            for name, function, summary in (
                ("decision-tree", "decision_tree", "A tree over bags of words."),
                ("maximum-entropy", "maximum_entropy", "Logistic regression over bags of words."),
                ("naive-bayes", "naive_bayes", "Naive Bayes over bags of words."),
            )
        },
        "transformers": Entry(
            "trope.tasks.sentiment.transformers_system:build",
            "Any fine-tuned Hugging Face encoder that gives a number.",
            extra="hub",
        ),
    },
)
"""What makes a `trope.tasks.sentiment.task.SentimentSystem`; options are keywords."""

EVALUATIONS: Registry[object] = Registry(
    "evaluation",
    {
        name: Entry(
            f"trope.evaluate.{name}:evaluate",
            summary,
            extra="systems" if name == "metonymy" else "",
        )
        for name, summary in {
            "analogy": "Metaphoric analogies: choice, static, zero_shot, errors, domains.",
            "domains": "Source domains of metaphors: learnt, free, lookup, majority.",
            "metaphor": "Words, verbs, headlines: words, headlines, baselines, labellers, silver.",
            "metonymy": "Names of places and organisations: encoder, transformers, tables, "
            "baselines, roles.",
            "ordinary": "Plain English: words, names, sentiment, agreement; public corpora.",
            "rewriting": "Substitutes for verbs: judged, open, swords, munch.",
            "sentiment": "Figurative tweets: encoder, transformers, categories, baselines, "
            "lexicon.",
            "syntax": "Tags, trees, lemmas and relations: ewt, tweebank, gum, raw, headlines, "
            "tweets.",
        }.items()
    },
)
"""Tasks of `trope evaluate`."""

RECIPES: Registry[Any] = Registry(
    "recipe",
    {
        name: Entry(f"trope.recipes.{name}.recipe:RECIPE", summary)
        for name, summary in {
            "tweets2019": "Verbs with their objects in tweets, metaphorical or not.",
            "newsmet": "Metaphors in headlines, and verbs that say them otherwise.",
            "semeval2015": "Figurative tweets with a score of their sentiment.",
            "semeval2007": "Names of places and organisations with their readings.",
            "mean": "Metaphoric analogies with wrong choices of three kinds.",
        }.items()
    },
)
"""Data sets of `trope recipe run`: what is a `trope.recipes.recipe.Recipe`."""

REPRODUCTIONS: Registry[Callable[..., Any]] = Registry(
    "paper",
    {
        name: Entry(f"trope.reproduce.{name}:reproduce", summary)
        for name, summary in {
            "mean": "Metaphoric analogies.",
            "newsmet": "Metaphors in headlines.",
            "semeval2007": "Metonymy of names.",
            "semeval2015": "Sentiment of figurative tweets.",
            "tweets2019": "Metaphors in tweets.",
        }.items()
    },
)
"""Papers of `trope reproduce`: what makes a `trope.reproduce.report.Report`."""

TRAININGS: Registry[Callable[..., None]] = Registry(
    "training",
    {
        "analogy": Entry(
            "trope.train.analogy.preparation:train_analogies",
            "Multiple-choice models of analogies, fold by fold.",
            extra="hub",
        ),
        "metaphor-hub": Entry(
            "trope.train.hub.metaphor:train_model",
            "A metaphor detector from a Hugging Face encoder.",
            extra="hub",
        ),
        "metaphor-silver": Entry(
            "trope.train.hub.metaphor:train_series",
            "NewsMet's detectors, and what they say of its test sets.",
            extra="hub",
        ),
        "metonymy-hub": Entry(
            "trope.train.hub.whole_texts:train_metonymy",
            "A system for names from a Hugging Face encoder.",
            extra="hub",
        ),
        "sentiment-hub": Entry(
            "trope.train.hub.whole_texts:train_sentiment",
            "A system for sentiment from a Hugging Face encoder.",
            extra="hub",
        ),
        "encoder": Entry(
            "trope.train.encoder.student:train_encoder",
            "The small encoder with its tags, trees, lemmas and metaphors.",
            extra="train",
        ),
        "base": Entry(
            "trope.train.encoder.adapters:train_adapters",
            "Adapters of the tier `base`.",
            extra="train",
        ),
        "headlines": Entry(
            "trope.train.encoder.headline_head:train_headlines",
            "The head of the tier `base` for whole headlines.",
            extra="train",
        ),
        "vectors": Entry(
            "trope.train.encoder.word_vectors:train_vectors",
            "Static word vectors, distilled from a large encoder.",
            extra="train",
        ),
        "rewriting": Entry(
            "trope.train.rewriting.ranker:train_rewriting", "The rankers of substitutes."
        ),
        "verbs": Entry(
            "trope.train.rewriting.verb_vectors:train_verbs",
            "The vectors of verbs that rewriting compares.",
            extra="hub",
        ),
        "associations": Entry(
            "trope.train.rewriting.verb_vectors:train_associations",
            "Which verbs occur with which words, from headlines.",
        ),
    },
)
"""Tasks of `trope train`."""
