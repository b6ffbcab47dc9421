import { stringEnd } from '#core/json/string-end.ts';

/** Changes to an object's members: another JSON text, or `undefined` to remove the member. */
export type MemberEdits = Readonly<Record<string, string | undefined>>;

export interface JsonMember {
  readonly name: string;
  /** Offsets of the name, the value and the end. */
  readonly start: number;
  readonly value: number;
  readonly end: number;
  /** Total number of members in all objects inside the value, including duplicates. */
  readonly inside: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN = 0x7b;
/** A name without escapes or non-ASCII bytes. */
const PLAIN_NAME = /^[^\\\x80-\xff]*$/;

/** A replacement for the bytes between two offsets. */
interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * Edits members in the text of a JSON object and leaves every other byte unchanged: long numbers, order,
 * white space. New members are added at the front. The text must be valid JSON and an object; `members` are
 * its members if already listed.
 */
export function editMembers(
  json: Uint8Array,
  edits: MemberEdits,
  members: readonly JsonMember[] = listMembers(json),
): Uint8Array {
  const isDropped = ({ name }: JsonMember): boolean =>
    Object.hasOwn(edits, name) && edits[name] === undefined;
  const lastKept = members.findLastIndex((member) => !isDropped(member));
  const splices = additions(json, members, edits, lastKept === -1);
  for (const [index, member] of members.slice(0, lastKept + 1).entries()) {
    const { name, start, value, end } = member;
    const text = Object.hasOwn(edits, name) ? edits[name] : undefined;
    if (text !== undefined) splices.push({ from: value, to: end, text });
    else if (isDropped(member)) {
      splices.push({ from: start, to: members[index + 1]?.start ?? end, text: '' });
    }
  }
  const lastEnd = members.at(-1)?.end ?? 0;
  const from = members[lastKept]?.end ?? members[0]?.start ?? 0;
  // The removed range includes the preceding comma.
  if (from < lastEnd) splices.push({ from, to: lastEnd, text: '' });
  return splices.length === 0 ? json : spliced(json, splices);
}

/** Returns the edit that inserts new members; empty if there are none. */
function additions(
  json: Uint8Array,
  members: readonly JsonMember[],
  edits: MemberEdits,
  isEmpty: boolean,
): Splice[] {
  const texts: string[] = [];
  for (const name of Object.keys(edits)) {
    const text = edits[name];
    if (text !== undefined && !members.some((member) => member.name === name)) {
      texts.push(`${JSON.stringify(name)}:${text}`);
    }
  }
  const at = json.indexOf(OPEN) + 1;
  return texts.length === 0 ? [] : [{ from: at, to: at, text: texts.join(',') + (isEmpty ? '' : ',') }];
}

function spliced(json: Uint8Array, splices: readonly Splice[]): Buffer {
  const source = bufferOf(json);
  let length = source.length;
  for (const { from, to, text } of splices) length += Buffer.byteLength(text) - (to - from);
  const result = Buffer.allocUnsafe(length);
  let at = 0;
  let read = 0;
  for (const { from, to, text } of splices) {
    at += source.copy(result, at, read, from);
    at += result.write(text, at);
    read = to;
  }
  source.copy(result, at, read);
  return result;
}

/** Lists the members in the text of a JSON object, including duplicates. */
export function listMembers(json: Uint8Array): JsonMember[] {
  const members: JsonMember[] = [];
  const text = bufferOf(json);
  let at = json.indexOf(OPEN) + 1;
  for (;;) {
    at = skipSpace(json, at);
    if (json[at] !== QUOTE) return members;
    const start = at;
    at = stringEnd(json, at);
    const name = nameIn(text, start, at);
    const value = afterColon(json, at);
    const { end, inside } = endOfValue(json, value);
    members.push({ name, start, value, end, inside });
    at = skipSpace(json, end);
    if (json[at] === COMMA) at += 1;
  }
}

/**
 * Decodes a name. Plain names, which are the common case, are not parsed, because parsing would take longer
 * than everything else.
 */
function nameIn(json: Buffer, start: number, end: number): string {
  const name = json.toString('latin1', start + 1, end - 1);
  if (PLAIN_NAME.test(name)) return name;
  const decoded: string = JSON.parse(json.toString('utf8', start, end));
  return decoded;
}

const afterColon = (json: Uint8Array, at: number): number => skipSpace(json, skipSpace(json, at) + 1);

const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, length);

const opens = (byte: number): boolean => byte === 0x5b || byte === 0x7b;
const closes = (byte: number): boolean => byte === 0x5d || byte === 0x7d;

function endOfValue(json: Uint8Array, start: number): Pick<JsonMember, 'end' | 'inside'> {
  let depth = 0;
  let inside = 0;
  for (let at = start; at < json.length; at += 1) {
    const byte = json[at] as number;
    if (byte === QUOTE) {
      at = stringEnd(json, at) - 1;
      if (depth === 0) return { end: at + 1, inside };
    } else if (opens(byte)) depth += 1;
    else if (closes(byte)) {
      // This is the closing bracket of the enclosing list or object.
      if (depth === 0) return { end: at, inside };
      depth -= 1;
      if (depth === 0) return { end: at + 1, inside };
    } else if (byte === COLON) inside += 1;
    else if (depth === 0 && (byte === COMMA || byte <= 0x20)) return { end: at, inside };
  }
  return { end: json.length, inside };
}

function skipSpace(json: Uint8Array, start: number): number {
  let at = start;
  while ((json[at] ?? 0x21) <= 0x20) at += 1;
  return at;
}
