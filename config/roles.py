"""Who of the staff may do what. A member of staff is an account with `is_staff` in one or more of these groups.

Whoever may do everything is a superuser: the only one who makes accounts and gives roles.
"""

LOOK = {"agent.view_agentrun"}  # the review: every run with its turns and calls
ROWS = {f"agent.view_{row}" for row in ("agentrun", "agentstep", "pendingaction", "handoff", "auditentry")}

ROLES: dict[str, set[str]] = {
    "viewer": LOOK,
    "reviewer": LOOK
    | {"agent.view_handoff", "agent.view_outgoingmail", "agent.change_outgoingmail"}
    | {f"agent.{may}_helparticle" for may in ("view", "add", "change")},
    "approver": LOOK | {"agent.cosign_action"},  # the second signature
    "auditor": ROWS | {"agent.view_outgoingmail"},
    "admin": LOOK | ROWS | {"waffle.view_switch", "waffle.change_switch", "auth.view_user", "auth.view_group"},
}
