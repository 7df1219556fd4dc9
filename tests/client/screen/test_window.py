from kit.screen.slate import Slate, open_another, slate_of


async def test_esc_returns_to_the_screen_below(shown):
    below = slate_of(shown.app)
    above = open_another(shown.app)
    await shown.until("This is the other slate.")
    assert "This is the slate." not in shown.text()
    shown.press("escape")
    await shown.until("This is the slate.")
    await shown.until(lambda: above.lived == ["shown", "parted"])
    assert below.lived == ["shown", "shown"]


async def test_replace_exchanges_the_screen_on_top(shown):
    above = open_another(shown.app)
    shown.app.replace(Slate(shown.app, "third slate"), above)
    await shown.until("This is the third slate.")
    await shown.until(lambda: above.lived == ["shown", "parted"])
    shown.press("escape")
    await shown.until("This is the slate.")


async def test_replace_exchanges_a_screen_further_down(shown):
    below = open_another(shown.app, "waiting slate")
    above = open_another(shown.app, "slate that looks back")
    new = Slate(shown.app, "new slate")

    shown.app.replace(new, below)

    await shown.until(lambda: below.lived == ["shown", "parted"])
    await shown.until("This is the slate that looks back.")
    assert (above.lived, new.lived) == (["shown"], [])
    shown.press("escape")
    await shown.until("This is the new slate.")
    assert new.lived == ["shown"]


async def test_replace_closes_the_new_screen_if_the_old_one_is_gone(shown):
    gone = open_another(shown.app)
    await shown.until("This is the other slate.")
    shown.press("escape")
    await shown.until("This is the slate.")
    new = Slate(shown.app, "new slate")
    shown.app.replace(new, gone)
    await shown.until(lambda: new.lived == ["parted"])
    assert slate_of(shown.app).name == "slate"


async def test_home_closes_every_other_screen(shown):
    between = open_another(shown.app)
    above = open_another(shown.app, "slate above")
    await shown.until("This is the slate above.")
    shown.app.home()
    await shown.until("This is the slate.")
    await shown.until(lambda: above.lived == ["shown", "parted"])
    await shown.until(lambda: between.lived == ["shown", "parted"])


async def test_esc_on_the_last_screen_ends_the_program(shown):
    slate = slate_of(shown.app)
    shown.press("escape")
    await shown.ended()
    assert slate.lived == ["shown", "parted"]
