import { membersIn, type MemberRange } from '#core/json/scan-json.ts';

/** Changes to an object's members: another JSON text, or `undefined` to remove the member. */
export type MemberEdits = Readonly<Record<string, string | undefined>>;

export interface JsonMember extends MemberRange {
  readonly name: string;
}

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
export const listMembers = (json: Uint8Array): JsonMember[] => withNames(json, membersIn(json));

/** Adds the names to the members of a valid JSON text. */
export function withNames(json: Uint8Array, ranges: readonly MemberRange[]): JsonMember[] {
  const text = bufferOf(json);
  return ranges.map((range) => ({ ...range, name: nameIn(text, range) }));
}

/**
 * Decodes a name. Plain names, which are the common case, are not parsed, because parsing would take longer
 * than everything else.
 */
function nameIn(json: Buffer, { start, nameEnd }: MemberRange): string {
  const name = json.toString('latin1', start + 1, nameEnd - 1);
  if (PLAIN_NAME.test(name)) return name;
  const decoded: string = JSON.parse(json.toString('utf8', start, nameEnd));
  return decoded;
}

const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, length);
