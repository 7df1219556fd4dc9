from kit.screen.toolkit import toolkit_made_once  # noqa: F401 - a fixture
