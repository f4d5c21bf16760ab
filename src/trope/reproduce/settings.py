"""Settings of a study's annotation, as the template of `trope annotate` has them."""

from __future__ import annotations

from importlib.resources import as_file, files

from trope.annotate.plan import Plan, read_plan
from trope.reproduce.rows import OurValue, Place, counted, measured

SETTING = "a setting of the annotation template, not a result"


def template_plan(template: str) -> Plan:
    """The plan of a template that ships."""
    with as_file(files("trope.annotate") / "templates" / f"{template}.toml") as path:
        return read_plan(path)


def tweet_settings() -> dict[Place, OurValue]:
    """Section 4.2 of the tweet study."""
    plan = template_plan("tweets2019")
    page = float(plan.pay.amount)
    pages_an_hour = 3600 / (plan.selection.pace.expected * plan.items_per_page)
    return {
        ("4.2", "tweets of the demo task", "count"): counted(plan.demo.items, SETTING),
        ("4.2", "gold tweets of the demo task", "count"): counted(plan.demo.gold, SETTING),
        ("4.2", "annotators selected", "count"): counted(plan.selection.best, SETTING),
        ("4.2", "tweets a page", "count"): counted(plan.items_per_page, SETTING),
        ("4.2", "dollars a page", "count"): measured(page, 2, SETTING),
        ("4.2", "dollars an hour", "count"): measured(pages_an_hour * page, 2, SETTING),
        ("4.2", "tweets a day, advised", "count"): counted(plan.caps.day, SETTING),
    }


def headline_settings() -> dict[Place, OurValue]:
    """Section 3.2 of NewsMet."""
    plan = template_plan("newsmet")
    return {
        ("3.2", "selected", "count"): counted(plan.selection.best, SETTING),
        ("3.2", "headlines a week and annotator", "count"): counted(plan.caps.week, SETTING),
        ("3.2", "headlines an annotator", "count"): counted(plan.caps.total, SETTING),
    }
