from client.screen.looks import LOOK, show
from mastermind_client.screen.forms.fields import draw_colours
from mastermind_protocol.rules import PRESETS


def test_the_field_shows_every_colour_with_its_letter():
    for rules in PRESETS.values():
        (line,) = show([draw_colours(rules.palette, LOOK)])
        assert line.split() == [colour[0].upper() for colour in rules.palette]
