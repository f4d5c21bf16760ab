"""A small set of analogies and a small inventory of metaphors, of our own making."""

from __future__ import annotations

from pathlib import Path

from trope.corpora.mean import COLUMNS, Analogy

HEADER = ";".join(COLUMNS)
TITLE = "METAPHOR;;METAPHOR SOURCE ROLE;METAPHOR TARGET ROLES;;;"
ROWS = [
    "IDEA;SEED;thinker;seed_sower;soil;baker;moon",
    "IDEA;SEED;insight;sprout;garden;crumb;tax",
    "DEBT;WEIGHT;debtor;carrier;kilogram;swimmer;violin",
    "DEBT;WEIGHT;amount_owed;heaviness;scale;brightness;owl",
    "CITY;BODY;street;vein;doctor;pipe;poem",
    "CITY;BODY;market;stomach;skin;kitchen;comet",
    "TALK;DANCE;speaker;dancer;rhythm;driver;brick",
    "TALK;DANCE;word;step;music;stitch;lake",
    "GRIEF;WEATHER;mourner;person_in_storm;cloud;sailor;ladder",
    "GRIEF;WEATHER;tears;rain;sky;sweat;fork",
    "MIND;HOUSE;memory;room;brick_wall;drawer;giraffe",
    "MIND;HOUSE;attention;lamp;roof;torch;biscuit",
]

METAPHORS = """metaphors:
  - name: IDEA_IS_SEED
    source_frame: planting
    target_frame: thinking
    families: [Mind]
    mappings:
      - source_role: seed_sower
        target_role: thinker
      - source_role: sprout
        target_role: insight
    examples: [The plan took root.]
  - name: DEBTS_ARE_WEIGHTS
    source_frame: carrying
    target_frame: owing
    mappings:
      - source_role: carrier
        target_role: debtor
  - name: RUMOUR_IS_FIRE
    source_frame: burning
    target_frame: talking
    mappings:
      - source_role: fire_sower
        target_role: thinker
  - name: MUSIC_MOVES
    source_frame: burning
    target_frame: talking
"""
FRAMES = """frames:
  - name: planting
    roles: [{name: seed_sower}, {name: sprout}, {name: seed_seller}]
    lexical_units: [garden.n, seed.n, soil.n, sow.v]
    frame_families: [Plants]
  - name: thinking
    roles: [{name: thinker}, {name: insight}]
    lexical_units: [mind.n, think.v]
  - name: carrying
    roles: [{name: carrier}]
    lexical_units: [burden.n, porter.n, carry.v, load.n]
  - name: owing
    roles: [{name: debtor}]
    lexical_units: [debt.n]
  - name: burning
    roles: [{name: fire_sower}, {name: fuel}]
    lexical_units: [flame.n, smoke.n, wood.n, fire.n]
  - name: talking
    roles: [{name: speaker}]
    lexical_units: [speech.n, talk.v]
"""


def write_set(path: Path, rows: list[str] | None = None, *, title: bool = True) -> Path:
    """A file in MEAN's form."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [*([TITLE] if title else []), HEADER, *(ROWS if rows is None else rows)]
    path.write_text("\r\n".join(lines) + "\r\n", "utf-8")
    return path


def write_data(folder: Path) -> Path:
    """A folder of research data with a set and an inventory."""
    rows = [*ROWS, *(f"NEW_{row}" for row in ROWS)]  # enough metaphors for ten folds
    write_set(folder / "mean" / "MEAN_datasetV1.csv", rows)
    (folder / "conceptual").mkdir(parents=True, exist_ok=True)
    (folder / "conceptual" / "metaphors.yaml").write_text(METAPHORS, "utf-8")
    (folder / "conceptual" / "frames.yaml").write_text(FRAMES, "utf-8")
    return folder


def an_item(*choices: str, element: str = "thinker", number: str = "1") -> Analogy:
    """An item about ideas and seeds."""
    given = choices or ("seed_sower", "soil", "baker", "moon")
    return Analogy(number, "IDEA", "SEED", element, tuple(given), int(number) + 1)
