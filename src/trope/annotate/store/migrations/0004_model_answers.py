"""Models as annotators: their runs and answers, and the suggestions that people saw."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("store", "0003_versions")]

    operations = [
        migrations.CreateModel(
            name="ModelRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=60, unique=True)),
                ("kind", models.CharField(max_length=8)),
                ("settings", models.JSONField()),
                ("started", models.DateTimeField()),
                ("last_at", models.DateTimeField(null=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("running", "Running"),
                            ("done", "Done"),
                            ("stopped", "Stopped"),
                        ],
                        default="running",
                        max_length=8,
                    ),
                ),
                ("error", models.TextField(blank=True, default="")),
                ("budget", models.FloatField(null=True)),
                ("price_in", models.FloatField(default=0)),
                ("price_out", models.FloatField(default=0)),
                ("tokens_in", models.BigIntegerField(default=0)),
                ("tokens_out", models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="ModelAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("answers", models.JSONField(default=dict)),
                ("confidence", models.FloatField(null=True)),
                ("error", models.CharField(blank=True, default="", max_length=20)),
                ("detail", models.CharField(blank=True, default="", max_length=300)),
                ("raw", models.TextField(blank=True, default="")),
                ("tokens_in", models.IntegerField(default=0)),
                ("tokens_out", models.IntegerField(default=0)),
                ("seconds", models.FloatField(default=0)),
                ("at", models.DateTimeField()),
                ("sampled", models.BooleanField(default=False)),
                (
                    "item",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="store.item"),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, to="store.modelrun"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("run", "item"), name="one_model_answer_each")
                ],
            },
        ),
        migrations.AddField(
            model_name="lease", name="suggestion", field=models.JSONField(default=dict)
        ),
        migrations.AddField(
            model_name="storedjudgment", name="suggestion", field=models.JSONField(default=dict)
        ),
    ]
