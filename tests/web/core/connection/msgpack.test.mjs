import assert from "node:assert/strict";
import test from "node:test";

import { decode, encode } from "../../../../web/mastermind_web/connection/msgpack.js";
import { fromHex, plain, readVectors, toHex } from "../kit.mjs";

const EXAMPLES = ["requests", "messages", "events", "sessions"].flatMap(readVectors);

test("a frame of the vectors is decoded to its value", () => {
  for (const { hex, value } of [...EXAMPLES, ...readVectors("tolerated")]) {
    assert.deepEqual(plain(decode(fromHex(hex))), value);
  }
});

test("a value of the vectors is encoded to its frame, byte for byte", () => {
  for (const { hex, value } of EXAMPLES.filter(({ hex }) => !/c[bf]/.test(hex))) {
    assert.equal(toHex(encode(decode(fromHex(hex)))), hex, JSON.stringify(value));
  }
});

test("a frame that is not one msgpack value is refused", () => {
  const broken = readVectors("refused").filter(({ error }) => error.code === "not_msgpack");
  assert.ok(broken.length >= 6);
  for (const { name, hex } of broken) assert.throws(() => decode(fromHex(hex)), name);
});

test("numbers keep their value, and those beyond 32 bits are sent as float 64", () => {
  for (const number of [
    0,
    127,
    128,
    255,
    256,
    65535,
    65536,
    2 ** 32 - 1,
    -1,
    -32,
    -33,
    -(2 ** 31),
    0.25,
  ]) {
    assert.equal(decode(encode(number)), number);
  }
  assert.equal(toHex(encode(2 ** 50 + 1)), "cb4310000000000004");
  assert.equal(decode(fromHex("cf001fffffffffffff")), Number.MAX_SAFE_INTEGER);
  assert.equal(decode(fromHex("d3ffe0000000000001")), Number.MIN_SAFE_INTEGER);
  for (const [hex, number] of [
    ["d080", -128],
    ["d18000", -32768],
    ["d2ffffffff", -1],
  ]) {
    assert.equal(decode(fromHex(hex)), number);
  }
});

test("long strings, bytes, arrays and maps have longer heads", () => {
  const keys = Array.from({ length: 17 }, (_, index) => [`k${index}`, index]);
  const values = [
    "ż".repeat(20),
    "a".repeat(300),
    "a".repeat(70_000),
    new Uint8Array(300),
    Array(20).fill(1),
  ];
  for (const value of [...values, Array(70_000).fill(null), Object.fromEntries(keys)]) {
    assert.deepEqual(plain(decode(encode(value))), value);
  }
});

test("a map has only the fields of its frame", () => {
  const map = decode(encode({ op: "log", absent: undefined }));
  assert.deepEqual(Object.keys(map), ["op"]);
  assert.equal(map.constructor, undefined);
  assert.equal(Object.getPrototypeOf(decode(fromHex("81a95f5f70726f746f5f5f01"))), null);
});

test("extension types and deep frames are refused", () => {
  assert.throws(() => decode(fromHex("d40000")));
  assert.throws(() => decode(new Uint8Array(10_000).fill(0x91)));
});
