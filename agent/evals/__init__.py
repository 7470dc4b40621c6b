"""Plays recorded calls as a model would make them: the real loop, the real gate, the real pages. Knows no shop."""

from agent.evals.customer import Customer
from agent.evals.play import Play, Played
from agent.evals.script import Call, Script

__all__ = ["Call", "Customer", "Play", "Played", "Script"]
