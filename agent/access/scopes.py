"""What a caller may be allowed: to read, or to propose as well. Nothing that comes from outside can confirm."""

READ = "read"
PROPOSE = "propose"
SCOPES = (READ, PROPOSE)
