import json

from django.http import QueryDict


def read_fields(content_type, body):
    """The fields of a JSON object or of a form; None if the body is neither.

    Providers decide what they send: most send JSON, some send forms (Twilio, Slack).
    """
    if content_type == "application/x-www-form-urlencoded":
        return QueryDict(body.decode(errors="replace")).dict()
    if content_type != "application/json" and not content_type.endswith("+json"):
        return None
    try:
        value = json.loads(body)
    except ValueError:  # also of bytes that are not UTF-8
        return None
    return value if isinstance(value, dict) else None
