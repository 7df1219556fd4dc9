import assert from "node:assert/strict";
import test from "node:test";

import {
  changeMonth, findContestDay, findReveal, findStart, findTriesEnd, monthOf, writeCountdown,
  writeDuration, writePlace,
} from "../../../web/mastermind_web/day/times.js";
import { describeBars } from "../../../web/mastermind_web/figures.js";
import { isSealed } from "../../../web/mastermind_web/game/checks.js";
import { findRules, sha256 } from "../../../web/mastermind_web/game/rules.js";
import { writeResult } from "../../../web/mastermind_web/match/ends.js";
import "./kit.mjs";

const [SECOND, HOUR] = [1000, 3_600_000];

test("day 147 is 24 November 2026 in UTC, and its tries and its secret end after it", () => {
  assert.equal(findStart(147), Date.UTC(2026, 10, 24));
  assert.equal(findTriesEnd(147), Date.UTC(2026, 10, 25, 0, 30));
  assert.equal(findReveal(147), Date.UTC(2026, 10, 25, 0, 31));
});

test("only a try has a day", () => {
  const dayOf = (contest) => findContestDay({ opened: { contest } });
  assert.deepEqual(["day/147", "race/1", "day/", undefined].map(dayOf), [
    147, undefined, undefined, undefined,
  ]);
});

test("months follow each other over the ends of years", () => {
  assert.equal(monthOf(findStart(147)), "2026-11");
  assert.equal(changeMonth("2026-12", 1), "2027-01");
  assert.equal(changeMonth("2027-01", -1), "2026-12");
});

test("a countdown has all its digits, and the time of a try few", () => {
  assert.equal(writeCountdown(9 * HOUR + 72 * SECOND), "09:01:12");
  assert.equal(writeCountdown(-1), "00:00:00");
  assert.equal(writeDuration(72 * SECOND), "01:12");
  assert.equal(writeDuration(HOUR + 72 * SECOND), "1:01:12");
});

test("places are written as they are spoken", () => {
  const places = [1, 2, 3, 4, 11, 12, 13, 21, 102, 111];
  const written = "1st 2nd 3rd 4th 11th 12th 13th 21st 102nd 111th";
  assert.equal(places.map(writePlace).join(" "), written);
});

test("a distribution marks the bar of the own result in place of the longest", () => {
  const marked = (figures, own) => (
    describeBars(figures, own).children.findIndex(({ properties }) => properties.className)
  );
  const figures = { distribution: [0, 3, 21, 74], unbroken: 2 };
  assert.equal(marked(figures), 2);
  assert.equal(marked(figures, 2), 0);
  assert.equal(marked(figures, Infinity), 3);
  assert.equal(marked({ distribution: Array(12).fill(1) }, 12), 9); // the last bar sums the rest
});

test("a code is sealed if it fits its commitment, and a try had the same one", () => {
  const [nonce, code] = [new Uint8Array(16), [0, 1, 2, 3]];
  const commitment = sha256(Uint8Array.from([...nonce, ...code]));
  assert.ok(isSealed({ code, nonce, commitment }));
  assert.ok(isSealed({ code, nonce, commitment }, { commitment }));
  assert.ok(!isSealed({ code, nonce, commitment }, { commitment: Uint8Array.of(1) }));
  assert.ok(!isSealed({ code: [3, 2, 1, 0], nonce, commitment }));
  assert.ok(!isSealed({ code, commitment }));
});

test("a shared try has the number of its day, its guesses and their marks", () => {
  const turns = [{ black: 1, white: 1 }, { black: 4, white: 0 }];
  const played = [{ how: "broken", turns }];
  const share = (rules, contest) => (
    writeResult({ opened: { contest }, rules: findRules(rules), played })
  );
  const marks = "●○··\n●●●●";
  assert.equal(share("classic", "day/147"), `Mastermind 147 · 2/12\n${marks}`);
  assert.equal(share("mini", "day/147").split(" · ")[0], "Mastermind 147 mini");
  assert.equal(share("classic").split(" · ")[0], "Mastermind 4x6");
});
