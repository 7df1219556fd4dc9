from client.screen.looks import LOOK, show
from mastermind_client.screen.forms.fields import draw_colours
from mastermind_protocol.rules import PRESETS


def test_all_colours_of_the_rules_are_shown_with_their_letters():
    for rules in PRESETS.values():
        (line,) = show([draw_colours(rules.palette, LOOK)])
        assert line.split() == [colour[0].upper() for colour in rules.palette]
