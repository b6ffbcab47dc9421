import { isObject } from '#core/json/is-object.ts';
import { isRawNumber } from '#core/json/lossless-json.ts';
import type { UpstreamTool } from '../calls/call.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';

/** Maximum length of a tool's form. Deeper levels of longer ones are written as `table`. */
const MAX_FORM = 1200;
const MAX_DEPTH = 4;
const MAX_DESCRIPTION = 160;
const MAX_DETAIL = 300;
/** Maximum number of values, members or alternatives that are written. */
const MAX_MEMBERS = 40;
const MAX_VALUES = 12;
/** Maximum number of types that are written, and of references that lead to one type. */
const MAX_TYPES = 400;
const MAX_REFERENCES = 5;

export interface StubOptions {
  /** Whether to add the descriptions of the arguments. */
  readonly details: boolean;
}

/**
 * Returns the form in which a script calls a tool, with the types of its arguments and of its result:
 * `tools.github.create_issue{ title: string, body?: string } -> { number: integer }`.
 */
export function toolStub(server: string, tool: UpstreamTool, { details }: StubOptions): string {
  const { name, title, description, inputSchema, outputSchema } = tool;
  const summary = oneLine(description ?? title, details ? MAX_DETAIL : MAX_DESCRIPTION);
  const lines = [
    ...(summary === '' ? [] : [`-- ${summary}`]),
    `tools${member(server)}${member(name)}${fitting((depth) => {
      const types = new Types(inputSchema);
      const args = types.object(inputSchema, depth);
      const result = outputSchema === undefined ? 'any' : new Types(outputSchema).of(outputSchema, depth);
      return `${args.startsWith('{') ? args : '{}'} -> ${result}`;
    })}`,
    ...(details ? descriptions(inputSchema) : []),
  ];
  return lines.join('\n');
}

/** Returns the longest of a text's versions, by depth, that is not too long. */
function fitting(text: (depth: number) => string): string {
  for (let depth = MAX_DEPTH; depth > 1; depth -= 1) {
    const written = text(depth);
    if (written.length <= MAX_FORM) return written;
  }
  return text(1);
}

function descriptions(schema: unknown): string[] {
  return membersOfSchema(schema).flatMap(([name, property]) => {
    const text = isObject(property) ? oneLine(property['description'], MAX_DETAIL) : '';
    return text === '' ? [] : [`--   ${name}: ${text}`];
  });
}

function oneLine(text: unknown, maxLength: number): string {
  const words =
    typeof text === 'string'
      ? text
          .slice(0, 4 * maxLength)
          .replaceAll(/\s+/g, ' ')
          .trim()
      : '';
  return words.length <= maxLength ? words : `${words.slice(0, maxLength - 1).trimEnd()}…`;
}

const IDENTIFIER = /^[A-Za-z_]\w*$/;
/** Words that cannot be used as names in Lua. */
const RESERVED: ReadonlySet<string> = new Set(
  'and break do else elseif end false for function goto if in local nil not or repeat return then true until while'.split(
    ' ',
  ),
);

const isIdentifier = (name: string): boolean => IDENTIFIER.test(name) && !RESERVED.has(name);
const member = (name: string): string => (isIdentifier(name) ? `.${name}` : `[${luaText(name)}]`);
const key = (name: string): string => (isIdentifier(name) ? name : `[${luaText(name)}]`);
/** JSON texts are Lua texts, except for the escapes of control characters. */
const luaText = (text: string): string =>
  JSON.stringify(text).replaceAll(/\\u([0-9a-f]{4})/g, (_, code: string) => `\\u{${code}}`);

const membersOfSchema = (schema: unknown): [string, unknown][] =>
  isObject(schema) && isObject(schema['properties'])
    ? Object.entries(schema['properties']).slice(0, MAX_MEMBERS)
    : [];

const list = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value.slice(0, MAX_MEMBERS) : [];

/** Writes the types of a schema. */
class Types {
  readonly #root: unknown;
  #count = 0;

  constructor(root: unknown) {
    this.#root = root;
  }

  /** Returns the type of a schema, with this many levels of objects. */
  of(schema: unknown, depth: number, references = 0): string {
    this.#count += 1;
    if (!isObject(schema) || this.#count > MAX_TYPES || references > MAX_REFERENCES) return 'any';
    const { $ref, const: constant, enum: values, anyOf, oneOf, allOf, type } = schema;
    if (typeof $ref === 'string') return this.of(this.#referenced($ref), depth, references + 1);
    if (constant !== undefined) return literal(constant);
    if (Array.isArray(values))
      return union(list(values).slice(0, MAX_VALUES).map(literal), values.length > MAX_VALUES);
    const alternatives = list(anyOf ?? oneOf);
    if (alternatives.length > 0 && schema['properties'] === undefined) {
      return union(alternatives.map((one) => this.of(one, depth)));
    }
    const parts = list(allOf);
    if (parts.length > 0 && schema['properties'] === undefined) {
      return [...new Set(parts.map((one) => this.of(one, depth)))].join(' & ');
    }
    if (Array.isArray(type))
      return union(list(type).map((one) => this.#single({ ...schema, type: one }, depth)));
    return this.#single(schema, depth);
  }

  object(schema: unknown, depth: number): string {
    if (!isObject(schema)) return '{}';
    const { additionalProperties: others, required } = schema;
    const names = new Set(list(required));
    const members = membersOfSchema(schema).map(([name, property]) => {
      const type = this.of(property, depth - 1);
      return `${key(name)}${names.has(name) ? '' : '?'}: ${type}${defaultOf(property)}`;
    });
    if (isObject(others)) members.push(`[string]: ${this.of(others, depth - 1)}`);
    return members.length === 0 ? 'table' : `{ ${members.join(', ')} }`;
  }

  #single(schema: ShapeOfParams, depth: number): string {
    const { type, items, format } = schema;
    switch (type) {
      case 'string':
        return typeof format === 'string' ? `string(${oneLine(format, 20)})` : 'string';
      case 'integer':
      case 'number':
      case 'boolean':
      case 'null':
        return type;
      case 'array': {
        const item = depth > 0 ? this.of(items, depth) : 'any';
        return item.includes(' | ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
      }
      case undefined:
        if (!isObject(schema['properties'])) return 'any';
        break;
      case 'object':
        break;
      default:
        return 'any';
    }
    return depth > 0 ? this.object(schema, depth) : 'table';
  }

  /** Follows a reference within the schema. */
  #referenced(reference: string): unknown {
    if (!reference.startsWith('#/')) return undefined;
    let found: unknown = this.#root;
    for (const part of reference.slice(2).split('/').slice(0, MAX_MEMBERS)) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      if (!isObject(found) || !Object.hasOwn(found, name)) return undefined;
      found = found[name];
    }
    return found;
  }
}

function union(types: readonly string[], hasMore = false): string {
  const all = [...new Set(types)];
  return (hasMore ? [...all, '…'] : all).join(' | ') || 'any';
}

function literal(value: unknown): string {
  if (isRawNumber(value)) return value.rawJSON;
  if (typeof value === 'object' && value !== null) return 'table';
  return typeof value === 'string' ? luaText(value.slice(0, 60)) : String(value);
}

function defaultOf(property: unknown): string {
  if (!isObject(property) || property['default'] === undefined || property['default'] === null) return '';
  const text = literal(property['default']);
  return text === 'table' || text.length > 40 ? '' : ` = ${text}`;
}
