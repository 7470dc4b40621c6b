"""Addresses of the agent: `agent:` for customers, `staff:` for the review."""

from django.urls import include, path

urlpatterns = [
    path("agent/", include("agent.chat_urls")),
    path("staff/", include("agent.staff_urls")),
]
