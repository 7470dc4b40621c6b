"""Addresses of the review."""

from django.urls import path

from agent.views import cosign, pages, staff

app_name = "staff"

urlpatterns = [
    path("runs/", staff.runs, name="runs"),
    path("runs/<uuid:pk>/", staff.run, name="run"),
    path("actions/", cosign.queue, name="actions"),
    path("actions/<uuid:pk>/", cosign.action, name="action"),
    path("style/", pages.style, name="style"),
]
