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
 * Return the msgpack bytes of `value`, without the fields that are undefined. Sizes and numbers have
 * the largest width, because the server reads every width.
 * @param {Value} value
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function encode(value) {
  /** @type {number[]} */
  const bytes = [];
  /** @param {number} type @param {number} size */
  const writeHead = (type, size) => {
    bytes.push(type);
    for (let shift = 24; shift >= 0; shift -= 8) bytes.push((size >>> shift) & 255);
  };
  /** @param {number} type @param {Uint8Array} content */
  const writeBytes = (type, content) => {
    writeHead(type, content.length);
    for (const byte of content) bytes.push(byte);
  };
  /** @param {Value} item */
  const write = (item) => {
    if (item === null) bytes.push(0xc0);
    else if (typeof item === "boolean") bytes.push(item ? 0xc3 : 0xc2);
    else if (typeof item === "string") writeBytes(0xdb, new TextEncoder().encode(item));
    else if (item instanceof Uint8Array) writeBytes(0xc6, item);
    else if (typeof item === "number") {
      const isCount = Number.isInteger(item) && item >= 0;
      const view = new DataView(new ArrayBuffer(8));
      if (isCount) view.setBigUint64(0, BigInt(item));
      else view.setFloat64(0, item);
      bytes.push(isCount ? 0xcf : 0xcb, ...new Uint8Array(view.buffer));
    } else if (Array.isArray(item)) {
      writeHead(0xdd, item.length);
      item.forEach(write);
    } else {
      const fields = Object.entries(item).filter(([, of]) => of !== undefined);
      writeHead(0xdf, fields.length);
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
      if (typeof key !== "string") throw new TypeError("the key of a map is not a str");
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
  if (at !== bytes.length) throw new RangeError("the frame has more than one value");
  return value;
}
