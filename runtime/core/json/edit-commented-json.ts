import { isObject } from './is-object.ts';
import { type JsonSpanMember, type JsonNode, parseCommentedJson } from './commented-json.ts';

/**
 * Sets the member at a path, or removes it if the value is `undefined`. The rest of the text, with
 * its comments, order and indentation, does not change. Missing objects along the path are added.
 * Throws a JsonSyntaxError, or a NotAnObject if a value along the path is not an object.
 */
export function editCommentedJson(text: string, path: readonly string[], value: unknown): string {
  const source = text.replace(/^\uFEFF/, '').trim() === '' ? '{}\n' : text;
  const { root } = parseCommentedJson(source);
  const edited = editObject(source, root, path, value, []);
  const expected = withValue(valueOf(root), path, value);
  if (JSON.stringify(valueOf(parseCommentedJson(edited).root)) === JSON.stringify(expected)) return edited;
  throw new Error('The file cannot be edited without changing other parts of it. Edit it by hand.');
}

/** Returns the value of a node. If several members have the same name, the last one is used. */
export function valueOf(node: JsonNode): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'array') return node.items.map(valueOf);
  return Object.fromEntries(node.members.map(({ name, value }) => [name, valueOf(value)]));
}

function withValue(object: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  const members = new Map(Object.entries(isObject(object) ? object : {}));
  if (rest.length > 0 && (value !== undefined || members.has(name)))
    members.set(name, withValue(members.get(name), rest, value));
  else if (value === undefined) members.delete(name);
  else members.set(name, value);
  return Object.fromEntries(members);
}

/** Error: a value along the path of an edit is not an object. */
export class NotAnObject extends Error {
  readonly path: readonly string[];
  readonly position: number;

  constructor(path: readonly string[], position: number) {
    super(`${path.join('.')} is not an object`);
    this.path = path;
    this.position = position;
  }
}

function editObject(
  text: string,
  node: JsonNode,
  [name, ...rest]: readonly string[],
  value: unknown,
  above: readonly string[],
): string {
  if (node.kind !== 'object') throw new NotAnObject(above, node.start);
  if (name === undefined) return text;
  const index = node.members.findLastIndex((member) => member.name === name);
  const member = node.members[index];
  if (member && rest.length > 0) return editObject(text, member.value, rest, value, [...above, name]);
  if (value === undefined) return member ? removeMember(text, node.members, index) : text;
  if (!member) return addMember(text, node, name, nested(rest, value));
  const inner = serialize(value, styleOf(text, node));
  return text.slice(0, member.value.start) + inner + text.slice(member.value.end);
}

const nested = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);

interface Style {
  readonly newline: string;
  /** One level of indentation. */
  readonly unit: string;
  /** Indentation of the object's members; undefined if they are on the same line as the object. */
  readonly indent: string | undefined;
}

function addMember(
  text: string,
  { members, start, end }: JsonNode & { readonly kind: 'object' },
  name: string,
  value: unknown,
): string {
  const style = styleOf(text, { kind: 'object', members, start, end });
  const entry = `${JSON.stringify(name)}: ${serialize(value, style)}`;
  const last = members.at(-1);
  const { newline, indent, unit } = style;
  if (!last) {
    // Comments in an empty object stay before the new member.
    const inside = text.slice(start + 1, end - 1).trimEnd();
    const outer = (indent ?? unit).slice(unit.length);
    return `${text.slice(0, start + 1)}${inside}${newline}${indent ?? unit}${entry}${newline}${outer}${text.slice(end - 1)}`;
  }
  const space = indent === undefined ? ' ' : newline + indent;
  const [trailing = ''] = TRAILING_COMMA.exec(text.slice(last.end)) ?? [];
  const comma = trailing === '' ? ',' : trailing;
  const rest = text.slice(last.end + trailing.length);
  // A comment on the same line as the last member belongs to that member.
  const [note = ''] = SAME_LINE_COMMENT.exec(rest) ?? [];
  // If the file has a trailing comma, the client accepts it, so the new member gets one, too.
  const after = trailing === '' ? '' : ',';
  return `${text.slice(0, last.end)}${comma}${note}${space}${entry}${after}${rest.slice(note.length)}`;
}

const TRAILING_COMMA = /^(?:\s|\/\/[^\n\r]*[\n\r]|\/\*(?:[^*]|\*(?!\/))*\*\/)*,/;
const SAME_LINE_COMMENT = /^[ \t]*(?:\/\/[^\n\r]*|\/\*[^\n\r]*?\*\/)/;

function removeMember(text: string, members: readonly JsonSpanMember[], index: number): string {
  const member = members[index];
  if (!member) return text;
  const next = members[index + 1];
  const before = members[index - 1];
  if (next) {
    // Comments before the next member belong to it; those on the same line belong to the removed
    // one.
    const lineEnd = /^\s*,[ \t]*(?:\/\/[^\n\r]*|\/\*[^\n\r]*?\*\/[ \t]*)?(?=\r?\n)/.exec(
      text.slice(member.end),
    );
    const end = lineEnd ? member.end + lineEnd[0].length : next.start;
    const start = lineEnd ? lineStart(text, member.start) : member.start;
    return text.slice(0, start) + text.slice(end);
  }
  const trailing = /^\s*,/.exec(text.slice(member.end))?.[0] ?? '';
  const after = text.slice(member.end + trailing.length);
  if (!before) return text.slice(0, lineStart(text, member.start)) + after;
  const gap = text.slice(before.end, member.start);
  const kept = trailing === '' ? gap.replace(',', '') : gap;
  return text.slice(0, before.end) + kept.trimEnd() + after;
}

/**
 * Returns the start of the line break and indentation before a position; the position itself if
 * other text precedes it on the line.
 */
function lineStart(text: string, position: number): number {
  const [space = ''] = /\r?\n[ \t]*$/.exec(text.slice(0, position)) ?? [];
  return position - space.length;
}

function styleOf(text: string, { members, start }: JsonNode & { readonly kind: 'object' }): Style {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const unit = /^([ \t]+)"/m.exec(text)?.[1] ?? '  ';
  const outer = /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', start - 1) + 1))?.[0] ?? '';
  const [first] = members;
  if (!first) return { newline, unit, indent: outer + unit };
  const lead = /\n([ \t]*)$/.exec(text.slice(0, first.start))?.[1];
  return { newline, unit, indent: lead };
}

function serialize(value: unknown, { newline, unit, indent }: Style): string {
  if (indent === undefined || !(isObject(value) || Array.isArray(value))) return JSON.stringify(value);
  return JSON.stringify(value, undefined, unit).replaceAll('\n', `${newline}${indent}`);
}
