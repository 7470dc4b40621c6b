"""PostgreSQL as Django knows it, with a pool that outlives a restart of the server."""
