"""Addresses of the review."""

from django.urls import path

from agent.views import pages, staff

app_name = "staff"

urlpatterns = [
    path("runs/", staff.runs, name="runs"),
    path("runs/<uuid:pk>/", staff.run, name="run"),
    path("style/", pages.style, name="style"),
]
