"""The full-screen face: screens drawn by pure functions from models, in prompt_toolkit.

`app` runs it; `face` holds the stack of screens; `screens/` has one module a screen; `canvas` is
the one place where lines become cells of the terminal.
"""
