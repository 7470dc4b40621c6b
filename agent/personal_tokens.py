"""The row of a token that a customer made for a program of their own. `agent.access` is its only writer."""

from django.conf import settings
from django.db import models
from django.utils import timezone


class PersonalToken(models.Model):
    """Lets one program act for one customer within its scopes, until it expires or is revoked.

    The token itself is never stored: `token_hash` finds it, `hint` (its first characters) lets its owner tell it from
    the others. `last_used_on` is a day, written at most once a day.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="personal_tokens")
    name = models.CharField(max_length=60)
    hint = models.CharField(max_length=12)
    token_hash = models.CharField(max_length=64, unique=True)
    scopes = models.CharField(max_length=60)  # space-separated, as OAuth writes them
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_on = models.DateField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"{self.name} ({self.hint}…)"

    @property
    def is_expired(self) -> bool:
        return self.expires_at <= timezone.now()
