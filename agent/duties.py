"""Work that recurs in the worker, claimed by a row: no schedule file, and any number of processes."""

from datetime import timedelta

from django.utils import timezone

from agent.models import Duty


def claim(name: str, *, again_in: timedelta) -> bool:
    """Take a duty that is due; the next time is set before the work, so that a crash repeats it later, not at once."""
    now = timezone.now()
    duty, is_new = Duty.objects.get_or_create(name=name, defaults={"next_at": now + again_in})
    return is_new or Duty.objects.filter(pk=duty.pk, next_at__lte=now).update(next_at=now + again_in) == 1
