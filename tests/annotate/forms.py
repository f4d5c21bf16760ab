"""The forms of pages as a browser without scripts sends them."""

from html.parser import HTMLParser
from typing import Any


def form_of(client: Any, address: str) -> dict[str, Any]:
    """The fields of the first form with a mark, as a browser would send them."""

    class Fields(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.found: dict[str, list[str]] = {}
            self.within, self.area, self.chosen = False, "", ""

        def handle_starttag(self, tag: str, attrs: Any) -> None:
            at = dict(attrs)
            if tag == "form":
                self.within = "setup" in at.get("class", "").split()
            if not self.within:
                return
            if tag == "input" and at.get("name") and at.get("type") != "file":
                if at.get("type") not in ("checkbox", "radio") or "checked" in at:
                    self.found.setdefault(at["name"], []).append(at.get("value") or "")
            elif tag == "textarea":
                self.area = at["name"]
                self.found[self.area] = [""]
            elif tag == "select":
                self.chosen = at["name"]
            elif tag == "option" and "selected" in at:
                self.found[self.chosen] = [at.get("value", "\0")]

        def handle_endtag(self, tag: str) -> None:
            self.area = "" if tag == "textarea" else self.area
            self.within = self.within and tag != "form"

        def handle_data(self, data: str) -> None:
            if self.area:
                self.found[self.area][0] += data
            elif self.chosen and self.found.get(self.chosen) == ["\0"]:
                self.found[self.chosen] = [data]

    parser = Fields()
    parser.feed(client.get(address).content.decode())
    parser.found.pop("csrfmiddlewaretoken", None)
    return parser.found
