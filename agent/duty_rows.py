"""The row of work that recurs. `agent.duties` is its only writer."""

from django.db import models


class Duty(models.Model):
    """Work that recurs, and when it is due again. Whoever moves `next_at` does it."""

    name = models.CharField(max_length=40, unique=True)
    next_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "duties"

    def __str__(self) -> str:
        return self.name
