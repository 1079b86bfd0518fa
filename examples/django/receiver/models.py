from django.db import models


class ProcessedEvent(models.Model):
    """The id of an event whose work is committed."""

    id = models.TextField(primary_key=True)

    class Meta:
        db_table = "processed_events"


class Order(models.Model):
    id = models.TextField(primary_key=True)
    paid = models.IntegerField(default=0)

    class Meta:
        db_table = "orders"
