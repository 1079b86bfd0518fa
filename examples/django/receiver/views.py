from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.http import HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from .events import read_fields
from .models import Order, ProcessedEvent
from .signature import is_signed


@csrf_exempt  # the signature takes the place of the token
@require_POST
def hooks(request):
    # Read before request.POST, which parses a form and leaves no bytes.
    body = request.body
    if not is_signed(body, request.headers, settings.DELIVERY_SECRETS):
        return HttpResponse(status=401)
    event = read_fields(request.content_type, body)
    if event is None:
        return HttpResponse(status=415)
    # If it raises an error, Django answers 500, and the gateway makes another attempt.
    process_once(request.headers["webhook-id"], event)
    return HttpResponse(status=204)


@transaction.atomic
def process_once(event_id, event):
    """Processes an event once: its id and its work are committed together, or neither is.

    So an event whose work failed is processed by the next attempt, and one that comes again after a lost answer is not.
    """
    _, is_new = ProcessedEvent.objects.get_or_create(id=event_id)
    if is_new:
        process(event)


def process(event):
    """Your work. Decide by fields of the body, which is signed; of the headers only webhook-id and -timestamp are."""
    if event.get("type") == "order.created":
        Order.objects.get_or_create(id=event["order"])
    elif event.get("type") == "order.paid":
        updated = Order.objects.filter(id=event["order"]).update(paid=F("paid") + int(event["amount"]))
        # Events come in any order: the next attempt may find the order.
        if updated == 0:
            raise Order.DoesNotExist(f"there is no order {event['order']} yet")
    # An event of another type, such as a test delivery, needs no work.
