"""What every address of the service is for: a new one needs a line here, or tests fail.

To add yours: its name in urls.py, the roles that it answers (the empty one is a stranger), the
methods that it takes, and arguments of its address that lead nowhere.
"""

from dataclasses import dataclass, field

STRANGER, ANNOTATOR, ADJUDICATOR, OWNER = ROLES = ("", "annotator", "adjudicator", "owner")


@dataclass(frozen=True)
class Route:
    """Who may use an address, how, and arguments for it."""

    roles: tuple[str, ...]
    methods: str = "GET"
    arguments: dict[str, object] = field(default_factory=dict)


ROUTES = {
    "home": Route(ROLES),
    "join": Route(ROLES, "GET POST", {"token": "nobody"}),
    "leave": Route(ROLES, "POST"),
    "guidelines": Route((ANNOTATOR, ADJUDICATOR, OWNER)),
    "work": Route((ANNOTATOR,), "GET POST"),
    "draft": Route((ANNOTATOR,), "POST"),
    "earlier": Route((ANNOTATOR,)),
    "change": Route((ANNOTATOR,), "GET POST", {"number": 999_999}),
    "project": Route((OWNER,)),
    "invite": Route((OWNER,), "POST"),
    "dismiss": Route((OWNER,), "POST", {"number": 999_999}),
    "export_csv": Route((OWNER,)),
    "export_jsonl": Route((OWNER,)),
    "undo": Route((ANNOTATOR,), "POST"),
    "batches": Route((OWNER,), "GET POST"),
}
