"""The commands of Django: python manage.py migrate, python manage.py runserver 3000."""

import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "receiver.settings")
    execute_from_command_line(sys.argv)
