from kit.entries import SECRET, list_try_rows
from kit.matches import BOB, NONCE
from kit.people import SessionClient, sit_down
from mastermind_client.network.match_messages import take_proof, take_row
from mastermind_client.network.mirror import Mirror
from mastermind_client.network.updates import (
    ChatReceived,
    MatchRestored,
    PresenceChanged,
    SpectatorsChanged,
)
from mastermind_client.screen.scene.feed import (
    MAX_NOTES,
    Feed,
    NoteKind,
)
from mastermind_protocol.chat import ChatLine
from mastermind_protocol.events import Advised, Guessed, RoundEnded


def read(feed: Feed, kind: NoteKind) -> list[str]:
    return [note.text for note in feed.notes if note.kind is kind]


async def play(ada: SessionClient, bob: SessionClient) -> tuple[Mirror, Feed]:
    """Let Bob break Ada's code; return Bob's notes."""
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    await bob.guess(theirs, "1122")
    await bob.guess(theirs, "1234")
    await bob.wait_for_event(RoundEnded)
    feed = Feed(theirs)
    for update in bob.updates:
        feed.add_update(update, bob.id)
    return theirs, feed


async def test_events_are_noted_in_order_without_guesses(ada, bob):
    _mirror, feed = await play(ada, bob)
    news = read(feed, NoteKind.NEWS)
    assert any(isinstance(event, Guessed) for event in bob.events)
    assert news[:2] == ["Ada is the codemaker.", "You are the codebreaker."]
    assert news.index("The secret is set.") < next(
        number for number, words in enumerate(news) if "You broke the code" in words
    )
    assert not any(words.startswith((" 1 ", " 2 ")) for words in news)


async def test_chat_and_connection_changes_have_their_own_kinds(ada, bob):
    mirror, feed = await play(ada, bob)
    before = len(feed.notes)

    line = ChatLine(room="players", n=1, by=ada.id, name="Ada", text="Well\x1b[31m done")
    feed.add_update(ChatReceived(mirror, mirror.state, line), bob.id)
    feed.add_update(PresenceChanged(mirror, mirror.state, ada.id, connected=False), bob.id)
    feed.add_update(SpectatorsChanged(mirror), bob.id)

    said, gone = feed.notes[before:]
    assert (said.kind, said.author) == (NoteKind.CHAT, ada.id)
    assert "Ada" in said.text
    assert "Well?[31m done" in said.text
    assert (gone.kind, gone.author) == (NoteKind.CONNECTION, None)
    assert gone.text == "Ada has lost the connection; the seat is kept."


def test_the_code_of_a_try_is_noted_when_it_is_revealed():
    mirror = Mirror("ABCDEF")
    feed = Feed(mirror)
    revealed = [update for row in list_try_rows("1234") for update in take_row(mirror, row)]
    revealed += take_proof(mirror, SECRET, NONCE)
    for update in revealed:
        feed.add_update(update, BOB.id)
    assert [(note.text, note.version) for note in feed.notes[-2:]] == [
        ("The secret was R G B Y: red green blue yellow.", 2),
        ("Code proven: it is the locked one, and all feedback fits it.", 2),
    ]


async def test_late_lines_are_noted_where_they_were_said(ada, bob):
    mirror, feed = await play(ada, bob)
    news = read(feed, NoteKind.NEWS)

    def say(text: str, **place: int) -> None:
        line = ChatLine(
            room="players", n=len(feed.notes), by=ada.id, name="Ada", text=text, **place
        )
        feed.add_update(ChatReceived(mirror, mirror.state, line), bob.id)

    say("After the end.", v=5, at=900)
    say("Before the secret.", v=2, at=100)
    say("Even earlier.", v=2, at=50)
    say("From an old server.")
    notes = [note.words or note.text for note in feed.notes]
    assert [words for words in notes if words not in news] == [
        "Even earlier.", "Before the secret.", "After the end.", "From an old server.",
    ]  # fmt: skip
    secret = notes.index("The secret is set.")
    assert notes[secret - 2 : secret] == ["Even earlier.", "Before the secret."]
    assert notes[-2:] == ["After the end.", "From an old server."]

    feed.add_update(MatchRestored(mirror, mirror.states[3], 4), bob.id)
    feed.add_update(bob.moves[4], bob.id)
    assert feed.notes[-1].text == news[-1]


async def test_notes_keep_their_order_when_the_last_rows_are_undone(ada, bob):
    mirror, feed = await play(ada, bob)
    line = ChatLine(room="players", n=1, by=ada.id, name="Ada", text="Hi", v=4, at=700)
    feed.add_update(ChatReceived(mirror, mirror.state, line), bob.id)
    feed.add_update(PresenceChanged(mirror, mirror.state, ada.id, connected=False), bob.id)
    feed.add_update(MatchRestored(mirror, mirror.states[3], 4), bob.id)
    said, gone, restored = feed.notes[-3:]
    assert said.words == "Hi"
    assert gone.text == "Ada has lost the connection; the seat is kept."
    assert restored.kind is NoteKind.CONNECTION


async def test_notes_of_undone_rows_are_dropped(ada, bob):
    mirror, feed = await play(ada, bob)
    said = ChatLine(room="players", n=1, by=ada.id, name="Ada", text="Well done")
    feed.add_update(ChatReceived(mirror, mirror.state, said), bob.id)
    feed.add_update(PresenceChanged(mirror, mirror.state, ada.id, connected=False), bob.id)
    news = read(feed, NoteKind.NEWS)

    feed.add_update(MatchRestored(mirror, mirror.states[3], 4), bob.id)
    assert read(feed, NoteKind.NEWS) == news[: news.index("You broke the code in 2 guesses.")]
    assert len(read(feed, NoteKind.CHAT)) == 1
    assert read(feed, NoteKind.CONNECTION)[1:] == [
        "The server has gone back to an earlier state of this match: everything after it is undone."
    ]
    for move in bob.moves[4:]:
        feed.add_update(move, bob.id)
    assert read(feed, NoteKind.NEWS) == news
    assert {note.version for note in feed.notes} == {0, 1, 2, 3, 5}


async def test_only_actions_of_others_are_deeds(ada, bob):
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    await bob.guess(theirs, "1122")
    await bob.session.advise(theirs, most=1)
    await ada.wait_for_event(Advised)
    await bob.wait_for_event(Advised)
    hers, his = Feed(ours), Feed(theirs)
    for feed, person in ((hers, ada), (his, bob)):
        for update in person.updates:
            feed.add_update(update, person.id)

    assert read(hers, NoteKind.ACTION) == ["Bob took advice for guess 2."]
    assert read(his, NoteKind.ACTION) == []
    assert "You took advice for guess 2." in read(his, NoteKind.NEWS)


async def test_old_notes_are_dropped(ada, bob):
    mirror, feed = await play(ada, bob)
    for number in range(1, MAX_NOTES + 10):
        line = ChatLine(room="players", n=number, by=ada.id, name="Ada", text=f"Line {number}.")
        feed.add_update(ChatReceived(mirror, mirror.state, line), bob.id)
    assert len(feed.notes) == MAX_NOTES
    assert feed.notes[0].text.endswith("Line 10.")
    assert feed.notes[-1].text.endswith(f"Line {MAX_NOTES + 9}.")
