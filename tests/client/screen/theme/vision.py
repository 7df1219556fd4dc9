"""How colours are seen: contrast, difference, and both as people without one kind of cone see them.

Colours are three numbers from 0 to 1, of sRGB made linear.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

Colour: TypeAlias = tuple[float, float, float]
Matrix: TypeAlias = tuple[Colour, Colour, Colour]
Sight: TypeAlias = Literal["normal", "protanopia", "deuteranopia", "tritanopia"]
SIGHTS: tuple[Sight, ...] = get_args(Sight)


def read(hexadecimal: str) -> Colour:
    """Return the colour of ``#rrggbb``, made linear as IEC 61966-2-1 (sRGB) has it."""
    red, green, blue = (_straighten(part / 255) for part in bytes.fromhex(hexadecimal[1:]))
    return red, green, blue


def contrast(one: Colour, other: Colour) -> float:
    """Return the contrast of two colours, 1 to 21 (WCAG 2.2, "relative luminance")."""
    darker, lighter = sorted(
        0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in (one, other)
    )
    return (lighter + 0.05) / (darker + 0.05)


def difference(one: Colour, other: Colour) -> float:
    """Return the perceived difference of two colours (black and white: 100, just visible: 2).

    It is a hundred times the distance in Oklab (Ottosson, "A perceptual color space for image
    processing", 2020), which unlike CIE76 does not overrate the differences among blues.
    """
    pairs = zip(_oklab(one), _oklab(other), strict=True)
    return float(100 * sum((a - b) ** 2 for a, b in pairs) ** 0.5)


def see(colour: Colour, sight: Sight) -> Colour:
    """Return a colour as a person with this vision perceives it.

    Brettel, Vienot and Mollon, "Computerized simulation of color appearance for dichromats"
    (J. Opt. Soc. Am. A 14, 1997): colours are projected on one of two half-planes. The matrices
    are those that libDaltonLens (public domain) has worked out for sRGB.
    """
    if sight == "normal":
        return colour
    first, second, normal = _BRETTEL[sight]
    (side,) = _multiply((normal,), colour)
    red, green, blue = (
        min(max(part, 0.0), 1.0) for part in _multiply(first if side >= 0 else second, colour)
    )
    return red, green, blue


def _straighten(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)


def _multiply(matrix: tuple[Colour, ...], colour: Colour) -> tuple[float, ...]:
    return tuple(sum(a * b for a, b in zip(row, colour, strict=True)) for row in matrix)


def _oklab(colour: Colour) -> tuple[float, ...]:
    long, middle, short = (part ** (1 / 3) for part in _multiply(_CONES, colour))
    return _multiply(_LAB, (long, middle, short))


_CONES: Matrix = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
_LAB: Matrix = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)
_BRETTEL: Mapping[Sight, tuple[Matrix, Matrix, Colour]] = {
    "protanopia": (
        ((0.14980, 1.19548, -0.34528), (0.10764, 0.84864, 0.04372), (0.00384, -0.00540, 1.00156)),
        ((0.14570, 1.16172, -0.30742), (0.10816, 0.85291, 0.03892), (0.00386, -0.00524, 1.00139)),
        (0.00048, 0.00393, -0.00441),
    ),
    "deuteranopia": (
        ((0.36477, 0.86381, -0.22858), (0.26294, 0.64245, 0.09462), (-0.02006, 0.02728, 0.99278)),
        ((0.37298, 0.88166, -0.25464), (0.25954, 0.63506, 0.10540), (-0.01980, 0.02784, 0.99196)),
        (-0.00281, -0.00611, 0.00892),
    ),
    "tritanopia": (
        ((1.01277, 0.13548, -0.14826), (-0.01243, 0.86812, 0.14431), (0.07589, 0.80500, 0.11911)),
        ((0.93678, 0.18979, -0.12657), (0.06154, 0.81526, 0.12320), (-0.37562, 1.12767, 0.24796)),
        (0.03901, -0.02788, -0.01113),
    ),
}
