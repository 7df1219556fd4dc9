"""Loaded before the tests here: the solver imports NumPy, with one thread, before they can."""

from mastermind_server.bots import solver

__all__ = ["solver"]
