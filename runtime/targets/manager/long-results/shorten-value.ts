import { isObject } from '#core/json/is-object.ts';
import { isRawNumber } from '#core/json/lossless-json.ts';
import { membersOf } from '#core/json/members-of.ts';
import { jsonSize } from '../shared/json-size.ts';

/**
 * Keywords that can make a shorter value invalid, or whose effect on a part of a value is not local. `anyOf` and
 * `oneOf` are resolved where the branches differ in their type.
 */
const OPAQUE = [
  'allOf',
  'not',
  'if',
  'dependentSchemas',
  'dependencies',
  'unevaluatedItems',
  'unevaluatedProperties',
  '$dynamicRef',
  '$recursiveRef',
];
const OPAQUE_FOR_ARRAYS = [...OPAQUE, 'contains', 'minContains', 'enum', 'const'];
const OPAQUE_FOR_STRINGS = [...OPAQUE, 'pattern', 'format', 'enum', 'const', 'minLength', 'contentEncoding'];

/** Keywords that do not restrict a value. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  '$comment',
  '$defs',
  '$id',
  '$schema',
  'default',
  'definitions',
  'deprecated',
  'description',
  'discriminator',
  'examples',
  'title',
]);

/** Maximum nesting of references and branches. */
const MAX_DEPTH = 32;

type Schema = Readonly<Record<string, unknown>>;

/**
 * Shortens a JSON value to a maximum size, in characters of JSON, so that it still matches its schema: removes
 * items from the ends of arrays, and characters from the ends of texts, only where the schema allows it. No
 * schema is evaluated: it is from a server, and its patterns could take any time. Undefined if the value cannot
 * be shortened enough.
 */
export function shortenValue(value: unknown, schema: unknown, maxSize: number): unknown {
  return new Shortener(schema).shorten(value, schema, maxSize, 0);
}

class Shortener {
  readonly #root: unknown;

  constructor(root: unknown) {
    this.#root = root;
  }

  shorten(value: unknown, schema: unknown, maxSize: number, depth: number): unknown {
    if (jsonSize(value, maxSize) <= maxSize) return value;
    if (maxSize <= 0 || depth > MAX_DEPTH) return undefined;
    const own = this.#resolve(schema, value, depth);
    if (own === undefined) return undefined;
    if (typeof value === 'string') return shortenText(value, own, maxSize);
    if (Array.isArray(value)) return this.#shortenArray(value, own, maxSize, depth);
    return isObject(value) && !isRawNumber(value)
      ? this.#shortenObject(value, own, maxSize, depth)
      : undefined;
  }

  #shortenArray(items: readonly unknown[], schema: Schema, maxSize: number, depth: number): unknown {
    if (OPAQUE_FOR_ARRAYS.some((keyword) => keyword in schema)) return undefined;
    const min = numberOf(schema['minItems']);
    const kept: unknown[] = [];
    // Two brackets, and a comma for each item.
    let left = maxSize - 2;
    for (const item of items) {
      const size = jsonSize(item, left) + 1;
      if (size > left) break;
      kept.push(item);
      left -= size;
    }
    if (kept.length === 0 && items.length > 0) {
      const first = this.shorten(items[0], itemSchema(schema), left - 1, depth + 1);
      if (first !== undefined) kept.push(first);
    }
    return kept.length >= min ? kept : undefined;
  }

  #shortenObject(value: Schema, schema: Schema, maxSize: number, depth: number): unknown {
    if (OPAQUE.some((keyword) => keyword in schema) || 'enum' in schema || 'const' in schema)
      return undefined;
    const sizes = Object.entries(value).map(([name, member]) => ({ name, size: jsonSize(member) }));
    let excess = jsonSize(value) - maxSize;
    const shortened: Record<string, unknown> = { ...value };
    // The largest members first, so that the small ones stay complete.
    for (const { name, size } of sizes.toSorted((one, other) => other.size - one.size)) {
      if (excess <= 0) break;
      const target = Math.max(MIN_PART, size - excess);
      const part = this.shorten(value[name], memberSchema(schema, name), target, depth + 1);
      if (part === undefined) continue;
      excess -= size - jsonSize(part);
      shortened[name] = part;
    }
    return excess <= 0 ? shortened : undefined;
  }

  /** Follows references, and selects the branch for a value. Undefined if that is ambiguous. */
  #resolve(schema: unknown, value: unknown, depth: number): Schema | undefined {
    if (schema === undefined || schema === true) return {};
    if (!isObject(schema) || depth > MAX_DEPTH) return undefined;
    const { $ref: reference, anyOf, oneOf, ...others } = schema;
    const branches = anyOf ?? oneOf;
    if (reference === undefined && branches === undefined) return others;
    // Further rules next to a reference or branches apply in addition to them.
    if (Object.keys(others).some((keyword) => !ANNOTATIONS.has(keyword))) return undefined;
    if (typeof reference === 'string' && branches === undefined) {
      const target = this.#referenced(reference);
      return target === undefined ? undefined : this.#resolve(target, value, depth + 1);
    }
    if (reference !== undefined || !Array.isArray(branches) || (anyOf !== undefined && oneOf !== undefined))
      return undefined;
    const fitting = branches.filter((branch) => canBe(branch, typeOf(value)));
    return fitting.length === 1 ? this.#resolve(fitting[0], value, depth + 1) : undefined;
  }

  /** Only references to definitions of the same schema are followed: `#/$defs/name`. */
  #referenced(reference: string): unknown {
    const [, list, name] = /^#\/(\$defs|definitions)\/([\w.-]+)$/.exec(reference) ?? [];
    if (list === undefined || name === undefined) return undefined;
    const definitions = membersOf(membersOf(this.#root)[list]);
    return Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  }
}

/** Minimum size of a shortened part. */
const MIN_PART = 16;

function shortenText(text: string, schema: Schema, maxSize: number): string | undefined {
  if (OPAQUE_FOR_STRINGS.some((keyword) => keyword in schema)) return undefined;
  return maxSize < MIN_PART ? undefined : wholeCharacters(text, 0, maxSize - 2);
}

/** Returns part of a text without splitting a character that consists of two code units. */
export function wholeCharacters(text: string, start: number, length: number): string {
  const end = start + length;
  const isSplit = end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
  return text.slice(start, isSplit ? end - 1 : end);
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** The schema of the first item. */
function itemSchema({ prefixItems, items }: Schema): unknown {
  return Array.isArray(prefixItems) ? prefixItems[0] : items;
}

/** The schema of a member; `false` if it depends on more than its name. */
function memberSchema(
  { properties, patternProperties, additionalProperties }: Schema,
  name: string,
): unknown {
  if (patternProperties !== undefined) return false;
  const known = membersOf(properties);
  return Object.hasOwn(known, name) ? known[name] : additionalProperties;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Whether a branch allows values of a type. A branch that does not name its types allows any. */
function canBe(branch: unknown, type: string): boolean {
  const { type: types } = membersOf(branch);
  if (types === undefined) return true;
  return Array.isArray(types) ? types.includes(type) : types === type;
}
