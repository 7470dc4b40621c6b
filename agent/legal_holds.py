"""The row that keeps a customer's data from being deleted, for as long as somebody has a reason in law."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class LegalHold(models.Model):
    """While it is not lifted, neither retention nor erasure touches the customer's rows. Set in the admin."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="legal_holds", verbose_name=_("customer")
    )
    reason = models.CharField(_("reason"), max_length=200)
    placed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, editable=False, related_name="+"
    )
    placed_at = models.DateTimeField(_("placed at"), auto_now_add=True)
    lifted_at = models.DateTimeField(_("lifted at"), null=True, blank=True, editable=False)

    class Meta:
        ordering = ["-placed_at"]
        verbose_name = _("legal hold")
        verbose_name_plural = _("legal holds")
        constraints = [
            models.UniqueConstraint(
                fields=["user"], condition=Q(lifted_at__isnull=True), name="legal_hold_one_open_a_customer"
            )
        ]

    def __str__(self) -> str:
        return self.reason
