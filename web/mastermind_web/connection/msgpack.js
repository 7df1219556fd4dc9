// The part of msgpack that the protocol uses: no extension types, and numbers up to 2 ** 53.

/**
 * @typedef {{[key: string]: Value | undefined}} ValueMap
 * @typedef {null | boolean | number | string | Uint8Array | Value[] | ValueMap} Value
 */

/**
 * The reader and the size of each type of numbers, from 0xca.
 * @type {["getUint8" | "getFloat64" | "getBigInt64", number][]}
 */
const NUMBERS = /** @type {any} */ ([
  ["getFloat32", 4], ["getFloat64", 8],
  ["getUint8", 1], ["getUint16", 2], ["getUint32", 4], ["getBigUint64", 8],
  ["getInt8", 1], ["getInt16", 2], ["getInt32", 4], ["getBigInt64", 8],
]);

/**
 * Return the msgpack bytes of `value`, without the fields that are undefined. Other
 * numbers than those of 32 bits become float 64, which the server accepts for integers too.
 * @param {Value} value
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function encode(value) {
  /** @type {number[]} */
  const bytes = [];
  /** @param {number} number @param {number} size */
  const writeInt = (number, size) => {
    for (let shift = 8 * (size - 1); shift >= 0; shift -= 8) bytes.push((number >>> shift) & 255);
  };
  /**
   * Write `small + size` below `limit`, otherwise the type for the width of the size, and the size.
   * @param {number} size @param {number} small @param {number} limit @param {number[]} types
   */
  const writeHead = (size, small, limit, types) => {
    const width = size < 256 && types[0] ? 0 : size < 65536 ? 1 : 2;
    bytes.push(size < limit ? small + size : types[width]);
    if (size >= limit) writeInt(size, 2 ** width);
  };
  /** @param {number} number */
  const writeNumber = (number) => {
    if (Number.isInteger(number) && number >= 0 && number < 2 ** 32) {
      writeHead(number, 0, 128, [0xcc, 0xcd, 0xce]);
      return;
    }
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, number);
    bytes.push(0xcb, ...new Uint8Array(view.buffer));
  };
  /** @param {Value} item */
  const write = (item) => {
    if (item === null) bytes.push(0xc0);
    else if (typeof item === "boolean") bytes.push(item ? 0xc3 : 0xc2);
    else if (typeof item === "number") writeNumber(item);
    else if (typeof item === "string") {
      const text = new TextEncoder().encode(item);
      writeHead(text.length, 0xa0, 32, [0xd9, 0xda, 0xdb]);
      for (const byte of text) bytes.push(byte);
    } else if (item instanceof Uint8Array) {
      writeHead(item.length, 0, 0, [0xc4, 0xc5, 0xc6]);
      for (const byte of item) bytes.push(byte);
    } else if (Array.isArray(item)) {
      writeHead(item.length, 0x90, 16, [0, 0xdc, 0xdd]);
      item.forEach(write);
    } else {
      const fields = Object.entries(item).filter(([, of]) => of !== undefined);
      writeHead(fields.length, 0x80, 16, [0, 0xde, 0xdf]);
      for (const field of fields) field.forEach((part) => write(/** @type {Value} */ (part)));
    }
  };
  write(value);
  return Uint8Array.from(bytes);
}

/**
 * Return the value of the msgpack `bytes`. Maps have no prototype. Throws for invalid bytes, and if
 * they nest deeper than the stack.
 * @param {Uint8Array} bytes
 * @returns {Value}
 */
export function decode(bytes) {
  const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  /** @param {number} size */
  const take = (size) => {
    if (at + size > bytes.length) throw new RangeError("the frame ends too early");
    at += size;
    return bytes.slice(at - size, at);
  };
  /** Return a number of the msgpack type `type`. @param {number} type */
  const number = (type) => {
    const [name, size] = NUMBERS[type - 0xca];
    at += size;
    return Number(view[name](at - size));
  };
  /** @param {number} size @returns {Value[]} */
  const array = (size) => Array.from({ length: size }, () => read());
  /** @param {number} size */
  const map = (size) => {
    const fields = Object.create(null);
    for (let index = 0; index < size; index++) {
      const key = read();
      if (typeof key !== "string") throw new TypeError("a key is not a str");
      fields[key] = read();
    }
    return fields;
  };
  /** @returns {Value} */
  const read = () => {
    const type = number(0xcc);
    if (type < 0x80) return type;
    if (type < 0x90) return map(type - 0x80);
    if (type < 0xa0) return array(type - 0x90);
    if (type < 0xc0) return utf8.decode(take(type - 0xa0));
    if (type === 0xc0) return null;
    if (type === 0xc2 || type === 0xc3) return type === 0xc3;
    if (type >= 0xc4 && type <= 0xc6) return take(number(type - 0xc4 + 0xcc));
    if (type >= 0xca && type <= 0xd3) return number(type);
    if (type >= 0xd9 && type <= 0xdb) return utf8.decode(take(number(type - 0xd9 + 0xcc)));
    if (type === 0xdc || type === 0xdd) return array(number(type - 0xdc + 0xcd));
    if (type === 0xde || type === 0xdf) return map(number(type - 0xde + 0xcd));
    if (type >= 0xe0) return type - 256;
    throw new TypeError(`the protocol does not use the msgpack type ${type}`);
  };
  const value = read();
  if (at !== bytes.length) throw new RangeError("the frame ends too late");
  return value;
}
