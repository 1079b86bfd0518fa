from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        migrations.CreateModel(
            name="ProcessedEvent",
            fields=[("id", models.TextField(primary_key=True, serialize=False))],
            options={"db_table": "processed_events"},
        ),
        migrations.CreateModel(
            name="Order",
            fields=[
                ("id", models.TextField(primary_key=True, serialize=False)),
                ("paid", models.IntegerField(default=0)),
            ],
            options={"db_table": "orders"},
        ),
    ]
