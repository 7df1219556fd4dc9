"""Symmetries and scores of codes, compiled by Numba. For the terms see `compiled`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from numpy.typing import NDArray

    # Elements are Any: the type checker does not know Numba's integer types.
    Int64s: TypeAlias = NDArray[Any]  # int64
    Int32s: TypeAlias = NDArray[Any]  # int32
    Uint64s: TypeAlias = NDArray[Any]  # uint64
    Bytes: TypeAlias = NDArray[Any]  # uint8


@njit
def find_distinct_guesses(
    codes: Bytes, orders: Int64s, earlier_guesses: Int64s, level: int, out: Int32s
) -> int:
    """Write to `out` the lowest of each set of symmetric guesses, sorted; return their number.

    Two guesses are symmetric if a permutation of pegs and colours turns one into the other, and
    changes no guess of `earlier_guesses[:level]`. `orders` are all permutations of the pegs, the
    identity first. If no two guesses are symmetric, returns 0 and writes nothing.
    """
    number, pegs = codes.shape
    colours = np.int64(codes[number - 1, 0]) + 1
    # For a permutation of the pegs, the history determines the images of the tried colours.
    images = np.full((len(orders), colours), -1, np.int64)
    fitting = np.empty(len(orders), np.int64)
    found = 0
    for order in range(len(orders)):
        image = images[found]
        sources = np.full(colours, -1, np.int64)
        fits = True
        for step in range(level):
            code = codes[earlier_guesses[step]]
            for peg in range(pegs):
                source, target = np.int64(code[peg]), np.int64(code[orders[order, peg]])
                fits &= image[source] < 0 or image[source] == target
                fits &= sources[target] < 0 or sources[target] == source
                image[source] = target
                sources[target] = source
        if fits:
            fitting[found] = order
            found += 1
        else:
            for colour in range(colours):
                image[colour] = -1
    untried = np.empty(colours + 1, np.int64)
    free = 0
    for colour in range(colours):
        if images[0, colour] < 0:  # the first permutation is the identity, which always fits
            untried[free] = colour
            free += 1
    if found == 1 and free < 2:
        return 0
    length = 0
    moved = np.empty(pegs, np.int64)
    renamed = np.empty(colours, np.int64)
    for guess in range(number):
        lowest = True
        for which in range(found):
            for peg in range(pegs):
                moved[orders[fitting[which], peg]] = codes[guess, peg]
            for colour in range(colours):
                renamed[colour] = images[which, colour]
            used = 0  # the lowest guess uses untried colours in ascending order
            for peg in range(pegs):
                colour = moved[peg]
                if renamed[colour] < 0:
                    renamed[colour] = untried[used]
                    used += 1
                if renamed[colour] != codes[guess, peg]:
                    lowest = renamed[colour] > codes[guess, peg]
                    break
            if not lowest:
                break
        if lowest:
            out[length] = guess
            length += 1
    return length


@njit
def write_bits(codes: Bytes, places: Uint64s, counts: Uint64s, colours: int) -> None:
    """Write each of n codes as two integers of up to 64 bits to `places` and `counts`, shape (n,).

    In `places`, the bit peg * colours + colour is set for each peg. In `counts`, each colour has
    `pegs` bits; if the colour occurs on k pegs, the lowest k of them are set.
    """
    number, pegs = codes.shape
    for code in range(number):
        place = count = np.uint64(0)
        for peg in range(pegs):
            colour = np.int64(codes[code, peg])
            place |= np.uint64(1) << np.uint64(peg * colours + colour)
            bit = np.uint64(1) << np.uint64(colour * pegs)
            while count & bit:
                bit <<= np.uint64(1)
            count |= bit
        places[code] = place
        counts[code] = count


@njit
def count_bits(x: Any) -> Any:
    """Return the number of set bits of `x`. Numba compiles this to one instruction."""
    x -= (x >> np.uint64(1)) & np.uint64(0x5555555555555555)
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (x * np.uint64(0x0101010101010101)) >> np.uint64(56)


@njit
def score_bits(
    place: Any, count: Any, places: Uint64s, counts: Uint64s, score_of: Bytes, out: Bytes
) -> None:
    """Write to `out` the score of a guess against each of n secrets, shape (n,).

    `place` and `count` are the bits of the guess from `write_bits`; `places` and `counts` are the
    bits of the secrets, shape (n,). `score_of[16 * black + black + white]` is the score of a
    feedback.
    """
    for k in range(len(places)):
        black = count_bits(place & places[k])
        out[k] = (black << np.uint64(4)) + count_bits(count & counts[k])
    for k in range(len(places)):
        out[k] = score_of[out[k]]
