"""What a crowd does to a store, and what must hold whatever it does."""

from collections import Counter

from trope.annotate.project import Project


def check_books(project: Project) -> None:
    """Slots, leases and judgments add up for every item; nobody has an item twice."""
    from trope.annotate.store.models import Item, Lease, StoredJudgment

    k = project.plan.judgments_per_item
    held = Counter(Lease.objects.filter(released=False).values_list("item_id", flat=True))
    counted = Counter(
        StoredJudgment.objects.filter(current=True, state="counted").values_list(
            "item_id", flat=True
        )
    )
    for item in Item.objects.filter(is_gold=False):
        books = (item.open_slots, held[item.pk], counted[item.pk])
        assert sum(books) == k + item.extra, f"{item.external_id}: open, held, counted = {books}"
        assert min(books) >= 0
    pairs = Counter(StoredJudgment.objects.filter(current=True).values_list("item_id", "person_id"))
    assert set(pairs.values()) <= {1}
    both = {
        *Lease.objects.filter(released=False).values_list("item_id", "person_id")
    } & pairs.keys()
    assert not both, "an item was given to someone who had judged it"
