import { isObject } from '#core/json/is-object.ts';
import { isRawNumber } from '#core/json/lossless-json.ts';
import { type Schema, UnusableOperation } from './plan.ts';
import type { Located, References } from './references.ts';
import { TYPES } from './schema-keywords.ts';
import { shortened } from './text-limits.ts';

/** Maximum number of schemas in a result's schema, and their maximum nesting. Deeper values can be anything. */
const MAX_SCHEMAS = 250;
const MAX_DEPTH = 5;
const MAX_PARTS = 20;
const MAX_DETAIL = 150;

type Members = Readonly<Record<string, unknown>>;

/**
 * Converts the schema of a response to one for structured content. APIs often differ from their documents in details,
 * but clients reject a result that does not match its schema. Therefore, the schema only contains types and
 * properties, none is required, all can be null, and `fitResult` removes what still does not match.
 */
function outputSchema(response: Located, references: References): Schema | undefined {
  const shape = new Shapes(references).of(response, 0);
  const types = typesOf(shape);
  if (types.includes('array')) {
    return { type: 'object', properties: { items: shape, next_page: NEXT_PAGE } };
  }
  if (!types.includes('object')) return undefined;
  return { ...shape, type: 'object' };
}

/** The arguments that return the next page. */
const NEXT_PAGE: Schema = {
  type: ['object', 'null'],
  description: 'Arguments that return the next page; absent on the last page.',
};

class Shapes {
  readonly #references: References;
  #schemas = 0;

  constructor(references: References) {
    this.#references = references;
  }

  of({ value, file }: Located, depth: number): Schema {
    this.#schemas += 1;
    if (this.#schemas > MAX_SCHEMAS || depth > MAX_DEPTH || !isObject(value)) return {};
    const found = this.#references.follow(value, file, 'a schema');
    const schema = found.value;
    const description = textIn(value) ?? textIn(schema);
    const shape = this.#shape(schema, found.file, depth);
    return description === undefined ? shape : { ...shape, description };
  }

  #shape(schema: Members, file: string, depth: number): Schema {
    const at = (value: unknown): Located => ({ value, file });
    const { allOf, anyOf, oneOf } = schema;
    const union = Array.isArray(oneOf) ? oneOf : anyOf;
    if (Array.isArray(union)) {
      const variants = union.filter((variant) => !isObject(variant) || variant['type'] !== 'null');
      if (variants.length === 1) return this.of(at(variants[0]), depth + 1);
      const shapes = variants.slice(0, MAX_PARTS).map((variant) => this.of(at(variant), MAX_DEPTH));
      const isAlwaysObject =
        variants.length <= MAX_PARTS && shapes.every((shape) => typesOf(shape).includes('object'));
      return isAlwaysObject ? nullableType(['object']) : {};
    }
    if (Array.isArray(allOf) && allOf.length > 0) {
      const own = Object.keys(schema).some((key) => key === 'properties' || key === 'type');
      const { allOf: _parts, ...rest } = schema;
      const parts = [...allOf.slice(0, MAX_PARTS), ...(own ? [rest] : [])];
      return merged(parts.map((part) => this.of(at(part), depth + 1)));
    }
    const types = declaredTypes(schema);
    return {
      ...nullableType(types),
      ...(types.includes('object') ? this.#object(schema, file, depth) : {}),
      ...(types.includes('array') ? this.#items(schema, file, depth) : {}),
    };
  }

  #object({ properties, additionalProperties }: Members, file: string, depth: number): Schema {
    const listed = isObject(properties) ? Object.entries(properties) : [];
    const shapes = listed
      .filter(([, property]) => !isObject(property) || property['writeOnly'] !== true)
      .map(([name, property]) => [name, this.of({ value: property, file }, depth + 1)]);
    return {
      ...(shapes.length > 0 ? { properties: Object.fromEntries(shapes) } : {}),
      ...(isObject(additionalProperties)
        ? { additionalProperties: this.of({ value: additionalProperties, file }, depth + 1) }
        : {}),
    };
  }

  #items({ items }: Members, file: string, depth: number): Schema {
    return isObject(items) ? { items: this.of({ value: items, file }, depth + 1) } : {};
  }
}

function textIn(schema: Members): string | undefined {
  const { description } = schema;
  return typeof description === 'string' && description.trim() !== ''
    ? shortened(description, MAX_DETAIL)
    : undefined;
}

function declaredTypes({ type, properties, items }: Members): readonly string[] {
  const types = (Array.isArray(type) ? type : [type]).filter(
    (name): name is string => TYPES.has(name) && name !== 'null',
  );
  if (types.length > 0) return types;
  if (isObject(properties)) return ['object'];
  return isObject(items) ? ['array'] : [];
}

const nullableType = (types: readonly string[]): Schema =>
  types.length === 0 ? {} : { type: [...new Set(types), 'null'] };

const typesOf = ({ type }: Schema): readonly unknown[] => (Array.isArray(type) ? type : []);

/** Merges the parts of an `allOf`. Parts without a type, such as one with a description only, do not matter. */
function merged(shapes: readonly Schema[]): Schema {
  const typed = shapes.filter((shape) => typesOf(shape).length > 0);
  const [first] = typed;
  if (!first) return {};
  if (!typed.every((shape) => typesOf(shape).includes('object'))) return typed.length === 1 ? first : {};
  const properties = Object.assign(
    {},
    ...typed.toReversed().map((shape) => shape['properties'] ?? {}),
  ) as Schema;
  return {
    ...nullableType(['object']),
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
  };
}

/** Returned for a value that does not match its schema. */
const MISMATCH = Symbol('mismatch');

/** Returns structured content with everything removed that does not match the schema. */
export function fitResult(content: Members, schema: Schema): Members {
  const fitted = fit(content, schema);
  return isObject(fitted) ? fitted : {};
}

function fit(value: unknown, schema: Schema): unknown {
  const { type } = schema;
  if (type === undefined) return value;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (!hasType(value, types)) return MISMATCH;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!isObject(items)) return value;
    // Removing an item would change the positions of the others.
    return value.map((item) => {
      const fitted = fit(item, items);
      return fitted === MISMATCH ? null : fitted;
    });
  }
  if (!isObject(value) || isRawNumber(value)) return value;
  const { properties, additionalProperties } = schema;
  if (!isObject(properties) && !isObject(additionalProperties)) return value;
  const entries = Object.entries(value).flatMap(([name, member]) => {
    const own =
      isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    const fitted = isObject(own) ? fit(member, own) : member;
    return fitted === MISMATCH ? [] : [[name, fitted]];
  });
  return Object.fromEntries(entries);
}

function hasType(value: unknown, types: readonly unknown[]): boolean {
  if (value === null) return types.includes('null');
  if (isRawNumber(value)) {
    return types.includes('number') || (types.includes('integer') && /^-?\d+$/.test(value.rawJSON));
  }
  if (Array.isArray(value)) return types.includes('array');
  if (typeof value === 'number') {
    return types.includes('number') || (types.includes('integer') && Number.isInteger(value));
  }
  return types.includes(typeof value);
}

/** Returns the schema of a response's result; undefined if it has none that clients could use. */
export function outputSchemaOf(response: Located, references: References): Schema | undefined {
  try {
    return outputSchema(response, references);
  } catch (error) {
    // The operation works without it.
    if (error instanceof UnusableOperation) return undefined;
    throw error;
  }
}
