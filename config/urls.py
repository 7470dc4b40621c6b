"""Addresses of the site."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from agent.views.health import healthz, readyz

handler403 = "agent.views.answers.permission_denied"

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="agent:home"), name="front"),
    path("", include("agent.urls")),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
]
