"""Versions of the plan and of items, uploaded files, and a project that is paused."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("store", "0002_states"),
    ]

    operations = [
        migrations.CreateModel(
            name="ItemVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("item", models.CharField(max_length=200)),
                ("at", models.DateTimeField()),
                ("who", models.CharField(max_length=100)),
                ("became", models.CharField(max_length=10)),
                ("text", models.TextField()),
                ("payload", models.JSONField(default=dict)),
                ("gold", models.JSONField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="PlanVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.IntegerField(unique=True)),
                ("at", models.DateTimeField()),
                ("who", models.CharField(max_length=100)),
                ("text", models.TextField()),
                ("changed", models.JSONField(default=list)),
            ],
        ),
        migrations.CreateModel(
            name="Upload",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("token", models.CharField(max_length=32, unique=True)),
                ("name", models.CharField(max_length=200)),
                ("kind", models.CharField(max_length=8)),
                ("size", models.BigIntegerField()),
                ("at", models.DateTimeField()),
                ("who", models.CharField(max_length=100)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                        ],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                ("added", models.BigIntegerField(default=0)),
                ("message", models.TextField(blank=True, default="")),
            ],
        ),
        migrations.AddField(
            model_name="state",
            name="paused",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="state",
            name="plan",
            field=models.IntegerField(default=0),
        ),
    ]
