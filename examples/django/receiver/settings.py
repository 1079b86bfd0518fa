"""The least that this receiver needs. Your project has settings already: take DELIVERY_SECRETS and the two limits."""

import os

# One secret, or the old and the new one during a rotation, with a space between them.
DELIVERY_SECRETS = os.environ["DELIVERY_SECRETS"].split()

# MAX_PAYLOAD_BYTES of the gateway, 1 MiB. The default of Django is 2.5 MiB; larger bodies are answered 400.
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
# The path of the view has no slash at its end: a redirect to another one counts as a failed attempt.
APPEND_SLASH = False

ALLOWED_HOSTS = ["127.0.0.1"]
INSTALLED_APPS = ["receiver"]
ROOT_URLCONF = "receiver.urls"
USE_TZ = True
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": os.environ.get("DATABASE", "shop.db"),
        # Take SQLite's write lock at the begin: a transaction that reads first cannot always get it later.
        "OPTIONS": {"transaction_mode": "IMMEDIATE"},
    }
}
