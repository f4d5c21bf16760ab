"""States are choices, and the judgments of the store have a name of their own; no table changes."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("store", "0001_initial")]

    operations = [
        migrations.AlterModelTable(name="judgment", table="store_judgment"),
        migrations.RenameModel(old_name="Judgment", new_name="StoredJudgment"),
        migrations.AlterField(
            model_name="notice",
            name="kind",
            field=models.CharField(
                choices=[("warning", "Warning"), ("hold", "Hold"), ("dismissal", "Dismissal")],
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="person",
            name="state",
            field=models.CharField(
                choices=[
                    ("active", "Active"),
                    ("held", "Held"),
                    ("dismissed", "Dismissed"),
                    ("withdrawn", "Withdrawn"),
                ],
                default="active",
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="standing",
            name="verdict",
            field=models.CharField(
                blank=True,
                choices=[("", "open"), ("accepted", "Accepted"), ("declined", "Declined")],
                default="",
                max_length=8,
            ),
        ),
        migrations.AlterField(
            model_name="storedjudgment",
            name="state",
            field=models.CharField(
                choices=[
                    ("counted", "Counted"),
                    ("surplus", "Surplus"),
                    ("skipped", "Skipped"),
                    ("gold", "Gold"),
                    ("discarded", "Discarded"),
                    ("erased", "Erased"),
                ],
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="trial",
            name="part",
            field=models.CharField(
                choices=[("training", "Training"), ("demo", "Demo")], max_length=8
            ),
        ),
    ]
