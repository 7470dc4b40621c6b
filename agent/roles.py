"""Roles: groups of permissions by name, made once; from then on the shop changes them in the admin as it likes."""

from typing import Any

from django.contrib.auth.models import Group, Permission
from django.db import router

from agent.conf import setting


def make_roles(using: str = "default", **_: Any) -> None:
    """A group for each role of AGENT["ROLES"], as soon as all of its permissions are there. After each migrate."""
    if not router.allow_migrate_model(using, Group):
        return
    known = set(Group.objects.using(using).values_list("name", flat=True))
    for name, wanted in setting("ROLES").items():
        if name in known:
            continue
        found = [row for row in Permission.objects.using(using).select_related("content_type") if _name(row) in wanted]
        if len(found) == len(wanted):
            Group.objects.using(using).create(name=name).permissions.set(found)


def _name(permission: Permission) -> str:
    return f"{permission.content_type.app_label}.{permission.codename}"
