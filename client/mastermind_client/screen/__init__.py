"""The full-screen interface, in prompt_toolkit: screens drawn by pure functions from models."""
