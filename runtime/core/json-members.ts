/** What becomes of members of an object: another JSON text, or `undefined` to leave the member out. */
export type MemberEdits = Readonly<Record<string, string | undefined>>;

interface Member {
  readonly name: string;
  /** Where its name, its value and what is after it begin. */
  readonly start: number;
  readonly value: number;
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const LAST_ASCII = 0x7f;

/**
 * Changes members of the object that a JSON text is, and leaves every other byte as it is: numbers of any length, order,
 * spaces. Members that are not there yet are put in front. The text has to be valid JSON and an object.
 */
export function editMembers(json: Uint8Array, edits: MemberEdits): Uint8Array {
  const members = listMembers(json);
  const changed = members.filter(({ name }) => Object.hasOwn(edits, name));
  const known = new Set(changed.map(({ name }) => name));
  const added = Object.entries(edits).flatMap(([name, text]) =>
    text === undefined || known.has(name) ? [] : [`${JSON.stringify(name)}:${text}`],
  );
  if (changed.length === 0 && added.length === 0) return json;
  const dropped = new Set(changed.filter(({ name }) => edits[name] === undefined));
  const encoder = new TextEncoder();
  const pieces: Uint8Array[] = [];
  const open = json.indexOf(0x7b) + 1;
  pieces.push(json.subarray(0, open));
  const kept = members.filter((member) => !dropped.has(member));
  if (added.length > 0) pieces.push(encoder.encode(added.join(',') + (kept.length > 0 ? ',' : '')));
  if (dropped.size === 0) {
    let from = open;
    for (const { name, value, end } of changed) {
      pieces.push(json.subarray(from, value), encoder.encode(edits[name] ?? ''));
      from = end;
    }
    pieces.push(json.subarray(from));
    return concat(pieces);
  }
  kept.forEach(({ name, start, value, end }, index) => {
    if (index > 0) pieces.push(Uint8Array.of(COMMA));
    const text = Object.hasOwn(edits, name) ? edits[name] : undefined;
    if (text === undefined) pieces.push(json.subarray(start, end));
    else pieces.push(json.subarray(start, value), encoder.encode(text));
  });
  pieces.push(json.subarray(members.at(-1)?.end ?? open));
  return concat(pieces);
}

/** The names of the members of such an object, as often as they stand there. */
export const memberNames = (json: Uint8Array): string[] => listMembers(json).map(({ name }) => name);

function listMembers(json: Uint8Array): Member[] {
  const members: Member[] = [];
  let at = json.indexOf(0x7b) + 1;
  for (;;) {
    at = skipSpace(json, at);
    if (json[at] !== QUOTE) return members;
    const start = at;
    at = endOfString(json, at);
    const name = nameIn(json, start, at);
    // The colon.
    const value = skipSpace(json, skipSpace(json, at) + 1);
    const end = endOfValue(json, value);
    members.push({ name, start, value, end });
    at = skipSpace(json, end);
    if (json[at] === COMMA) at += 1;
  }
}

/** Nearly all names are letters as they are, and to decode those takes longer than all the rest. */
function nameIn(json: Uint8Array, start: number, end: number): string {
  let name = '';
  for (let at = start + 1; at < end - 1; at += 1) {
    const byte = json[at] as number;
    if (byte === BACKSLASH || byte > LAST_ASCII) {
      return JSON.parse(new TextDecoder().decode(json.subarray(start, end))) as string;
    }
    name += String.fromCharCode(byte);
  }
  return name;
}

const opens = (byte: number): boolean => byte === 0x5b || byte === 0x7b;
const closes = (byte: number): boolean => byte === 0x5d || byte === 0x7d;

function endOfValue(json: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at += 1) {
    const byte = json[at] as number;
    if (byte === QUOTE) {
      at = endOfString(json, at) - 1;
      if (depth === 0) return at + 1;
    } else if (opens(byte)) depth += 1;
    else if (closes(byte)) {
      // The bracket of what a number or word stands in.
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (byte === COMMA || byte <= 0x20)) return at;
  }
  return json.length;
}

/** After the quote that ends the string which starts at `start`. */
function endOfString(json: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

function skipSpace(json: Uint8Array, start: number): number {
  let at = start;
  while ((json[at] ?? 0x21) <= 0x20) at += 1;
  return at;
}

function concat(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
