"""Addresses of the agent: `agent:` for customers, `staff:` for the review."""

from django.urls import include, path

from agent.views import help

urlpatterns = [
    path("agent/", include("agent.chat_urls")),
    path("help/<slug:slug>/", help.article, name="help_article"),
    path("staff/", include("agent.staff_urls")),
    path("", include("agent.oauth_urls")),
]
