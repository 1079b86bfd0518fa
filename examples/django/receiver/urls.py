from django.urls import path

from .views import hooks

urlpatterns = [path("hooks", hooks)]
