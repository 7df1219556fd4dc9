"""Match clocks: deadlines, flags, and the time that servers owe to players."""
