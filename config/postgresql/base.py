"""The database backend that settings name for PostgreSQL."""

from typing import Any

from django.db.backends.postgresql import base
from psycopg import Connection, Error
from psycopg_pool import ConnectionPool


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's, which hands out a pool's connections; the first that is found dead has all be made anew.

    Django's own check (CONN_HEALTH_CHECKS) drops one dead connection at a time and waits longer after each: after a
    restart of the server, a pool of 16 that has been idle would keep its first customer waiting until it gives up.
    """

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """One that answers. Raises OperationalError where none could be had in the pool's time."""
        connection = super().get_new_connection(conn_params)
        pool = self.pool
        if pool is None or _answers(connection):
            return connection
        pool.putconn(connection)
        pool.drain()
        return super().get_new_connection(conn_params)


def _answers(connection: Connection[Any]) -> bool:
    try:
        ConnectionPool.check_connection(connection)
    except Error:
        return False
    return True
