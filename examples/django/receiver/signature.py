import base64
import binascii
import contextlib
import hashlib
import hmac
import time

# A delivery is signed when it is sent. Five minutes allow for a slow network and clocks that differ.
TOLERANCE_S = 5 * 60


def key_of(secret):
    """The key of a delivery secret: the bytes of the base64 after `whsec_`, else those of the whole text."""
    if secret.startswith("whsec_"):
        encoded = secret.removeprefix("whsec_").rstrip("=")
        with contextlib.suppress(binascii.Error):
            # Python needs the padding, which may be lost in a copy.
            return base64.b64decode(encoded + "=" * (-len(encoded) % 4), validate=True)
    return secret.encode()


def is_signed(body, headers, secrets):
    """Whether the gateway has signed these bytes with one of the secrets, at most five minutes ago.

    `body` has the bytes as received: not parsed or decoded.
    """
    event_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    # compare_digest takes bytes; a text that is not ASCII would raise an error.
    given = headers.get("webhook-signature", "").encode().split(b" ")
    if not event_id or not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE_S:
        return False
    content = f"{event_id}.{timestamp}.".encode() + body
    expected = [
        b"v1," + base64.b64encode(hmac.digest(key_of(secret), content, hashlib.sha256)) for secret in secrets
    ]
    return any(hmac.compare_digest(one, other) for one in expected for other in given)
