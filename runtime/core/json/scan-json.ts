import type { Steps } from '../limits/steps.ts';
import { stringEnd } from './string-end.ts';

// JSON's structural characters as UTF-8 bytes.
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const LIST = 0x5b;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;
const SPACE = 0x20;

/**
 * Memory in bytes that parsed values need in addition to the text: for an empty list or object, and
 * for each member or item.
 */
const CONTAINER_BYTES = 64;
const ITEM_BYTES = 16;

export interface JsonLimits {
  readonly maxDepth: number;
  /** Maximum number of values, including those inside lists and objects. */
  readonly maxValues: number;
}

/** The limit that a JSON text exceeds, or the memory that its lists and objects need when it is parsed. */
export type JsonSize = { readonly exceeds: keyof JsonLimits } | { readonly heapBytes: number };

/** Where a member of the top-level object is in a JSON text. */
export interface MemberRange {
  /** Offsets of the name, the end of the name, the value and the end of the value. */
  readonly start: number;
  readonly nameEnd: number;
  readonly value: number;
  readonly end: number;
  /** Total number of members in all objects inside the value, including duplicates. */
  readonly inside: number;
  /** If the value is a long list: offsets of commas between its items that split it into parts. */
  readonly cuts: readonly number[];
}

/** Minimum length of a part of a list in bytes. */
const PART = 32 * 1024;

/** Number of bytes to scan per step. */
const STEP = 128 * 1024;

/**
 * Scans a JSON text without parsing it, and adds the members of the top-level object to `members`, including
 * duplicates. For invalid JSON, the results are meaningless, but limited by the length of the text.
 */
export function* scanJson(json: Uint8Array, limits: JsonLimits, members?: MemberRange[]): Steps<JsonSize> {
  const scan: Scan = { at: 0, depth: 0, containers: 0, commas: 0, colons: 0 };
  const list = members && createMemberList(json, members);
  while (scan.at < json.length) {
    const exceeds = scanPart(json, scan, limits, list);
    if (exceeds !== undefined) return { exceeds };
    if (scan.at < json.length) yield;
  }
  return { heapBytes: scan.containers * CONTAINER_BYTES + scan.commas * ITEM_BYTES };
}

/** The members of the object in a valid JSON text, including duplicates. */
export function membersIn(json: Uint8Array): MemberRange[] {
  const members: MemberRange[] = [];
  const steps = scanJson(json, { maxDepth: Infinity, maxValues: Infinity }, members);
  while (steps.next().done !== true);
  return members;
}

interface Scan {
  at: number;
  depth: number;
  containers: number;
  commas: number;
  colons: number;
}

/** Scans the next part of the text. Returns the limit that is exceeded, if any. */
function scanPart(
  json: Uint8Array,
  scan: Scan,
  { maxDepth, maxValues }: JsonLimits,
  members: MemberList | undefined,
): keyof JsonLimits | undefined {
  let { at, depth, containers, commas, colons } = scan;
  const end = Math.min(json.length, at + STEP);
  for (; at < end; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) {
      const start = at;
      // The string can end after this part of the text.
      at = stringEnd(json, start) - 1;
      if (depth === 1) members?.text(start, at + 1);
    } else if (byte === COMMA) {
      commas += 1;
      if (depth === 1) members?.end(at, colons);
      else if (depth === 2) members?.comma(at);
    } else if (byte === COLON) {
      colons += 1;
      if (depth === 1) members?.colon(at, colons);
    } else if (byte === LIST_END || byte === OBJECT_END) {
      if (depth === 1) members?.end(at, colons);
      depth -= 1;
    } else if (byte === LIST || byte === OBJECT) {
      depth += 1;
      containers += 1;
      if (depth > maxDepth) return 'maxDepth';
    } else continue;
    // There are at least as many values as commas or containers: every container is a value, and
    // every comma is followed by one.
    if (containers > maxValues || commas > maxValues) return 'maxValues';
  }
  Object.assign(scan, { at, depth, containers, commas, colons });
  return undefined;
}

/** Receives the strings, colons and ends of values at the top level, with the number of colons before them. */
interface MemberList {
  readonly text: (start: number, end: number) => void;
  readonly colon: (at: number, colons: number) => void;
  /** A comma inside a list or object at the top level. */
  readonly comma: (at: number) => void;
  readonly end: (at: number, colons: number) => void;
}

function createMemberList(json: Uint8Array, members: MemberRange[]): MemberList {
  let [start, nameEnd, colonsBefore] = [0, 0, 0];
  let value: number | undefined;
  let cuts: number[] = [];
  return {
    text(from, to) {
      if (value === undefined) [start, nameEnd] = [from, to];
    },
    colon(at, colons) {
      value = at + 1;
      while ((json[value] ?? QUOTE) <= SPACE) value += 1;
      colonsBefore = colons;
    },
    comma(at) {
      if (value !== undefined && json[value] === LIST && at - (cuts.at(-1) ?? value) > PART) cuts.push(at);
    },
    end(at, colons) {
      if (value === undefined) return;
      let end = at;
      while (end > value && (json[end - 1] ?? QUOTE) <= SPACE) end -= 1;
      members.push({ start, nameEnd, value, end, inside: colons - colonsBefore, cuts });
      value = undefined;
      cuts = [];
    },
  };
}
