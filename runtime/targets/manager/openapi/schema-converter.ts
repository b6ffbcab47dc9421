import { isObject } from '#core/json/is-object.ts';
import { breakCycles, inlineOnce } from './definitions.ts';
import type { Schema } from './plan.ts';
import type { Located, References } from './references.ts';
import { DEFINITIONS, LIST_OF_SCHEMAS, MAP_OF_SCHEMAS, ONE_SCHEMA } from '../shared/schema-places.ts';
import { isPattern, plainKeywords, TYPES } from './schema-keywords.ts';

/** Maximum nesting within one schema, excluding references. */
const MAX_DEPTH = 40;

interface Definition {
  readonly name: string;
  readonly target: Located;
}

type Members = Readonly<Record<string, unknown>>;

export interface ConverterOptions {
  readonly isOld: boolean;
  readonly maxSchemas: number;
}

/**
 * Converts schemas of an OpenAPI document to JSON Schema 2020-12, as arguments of one tool. Referenced schemas become
 * definitions, so that recursive schemas stay finite and shared ones are not repeated.
 */
export class SchemaConverter {
  readonly #references: References;
  /** Whether the document uses OpenAPI 3.0, whose schemas differ from JSON Schema. */
  readonly #isOld: boolean;
  /** Maximum number of schemas. Those beyond it allow any value. */
  readonly #maxSchemas: number;
  readonly #definitions = new Map<string, Definition>();
  readonly #names = new Set<string>();
  readonly #queue: Definition[] = [];
  #schemas = 0;

  constructor(references: References, { isOld, maxSchemas }: ConverterOptions) {
    this.#references = references;
    this.#isOld = isOld;
    this.#maxSchemas = maxSchemas;
  }

  /** Converts a schema. Definitions that it refers to are added by `complete`. */
  convert(schema: Located): Schema {
    return this.#schema(schema.value, schema.file, 0);
  }

  /** Returns the schema of an object with the definitions of everything it refers to. */
  complete(root: Schema): Schema {
    const $defs: Record<string, Schema> = {};
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      $defs[next.name] = this.#schema(next.target.value, next.target.file, 0);
    }
    breakCycles($defs);
    return inlineOnce(root, $defs);
  }

  #schema(value: unknown, file: string, depth: number): Schema {
    this.#schemas += 1;
    if (value === false) return { not: {} };
    if (!isObject(value)) return {};
    if (depth > MAX_DEPTH || this.#schemas > this.#maxSchemas) return simplified(value);
    const { $ref } = value;
    if (typeof $ref !== 'string') return this.#plain(value, file, depth);
    const referenced = this.#reference($ref, file, depth);
    const { $ref: _ref, ...siblings } = value;
    const own = this.#isOld ? pick(siblings, 'description') : siblings;
    return { ...referenced, ...this.#plain(own, file, depth) };
  }

  #reference($ref: string, file: string, depth: number): Schema {
    const target = this.#references.target($ref, file);
    if (isLeaf(target.value)) return this.#schema(target.value, target.file, depth + 1);
    let definition = this.#definitions.get(target.id);
    if (!definition) {
      definition = { name: this.#nameFor(target.name), target };
      this.#definitions.set(target.id, definition);
      this.#queue.push(definition);
    }
    return { $ref: `#/$defs/${definition.name}` };
  }

  #nameFor(text: string): string {
    const base = text.replaceAll(/[^A-Za-z0-9_-]+/g, '_').slice(0, 60) || 'Schema';
    let name = base;
    for (let number = 2; this.#names.has(name); number += 1) name = `${base}_${number}`;
    this.#names.add(name);
    return name;
  }

  #plain(schema: Members, file: string, depth: number): Schema {
    const inner = (value: unknown): Schema => this.#schema(value, file, depth + 1);
    const hidden = this.#hiddenProperties(schema['properties'], file);
    const converted = {
      ...typeKeywords(schema),
      ...plainKeywords(schema),
      ...this.#inner(schema, inner, hidden),
    };
    return this.#isOld && schema['nullable'] === true ? nullable(converted) : converted;
  }

  #inner(schema: Members, inner: (value: unknown) => Schema, hidden: ReadonlySet<string>): Members {
    const result: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === 'items' && Array.isArray(value)) {
        if (value.length > 0) result['prefixItems'] = value.map(inner);
        if (isSchema(schema[REST_OF_ITEMS])) result['items'] = inner(schema[REST_OF_ITEMS]);
      } else if (isOne(keyword) && isSchema(value)) {
        result[keyword] = typeof value === 'boolean' ? value : inner(value);
      } else if (LIST_OF_SCHEMAS.has(keyword) && Array.isArray(value) && value.length > 0) {
        result[keyword] = value.map(inner);
      } else if (MAP_OF_SCHEMAS.has(keyword) && !DEFINITIONS.has(keyword) && isObject(value)) {
        const entries = Object.entries(value).filter(
          ([name]) => !hidden.has(name) && (keyword !== 'patternProperties' || isPattern(name)),
        );
        result[keyword] = Object.fromEntries(entries.map(([name, part]) => [name, inner(part)]));
      } else if (keyword === 'required' && Array.isArray(value)) {
        const names = value.filter((name): name is string => typeof name === 'string' && !hidden.has(name));
        if (names.length > 0) result[keyword] = [...new Set(names)];
      } else if (keyword === 'dependentRequired' && isObject(value)) {
        result[keyword] = Object.fromEntries(
          Object.entries(value).filter(([, names]) => isNames(names) && new Set(names).size === names.length),
        );
      }
    }
    return result;
  }

  /** Properties that only responses contain. */
  #hiddenProperties(properties: unknown, file: string): ReadonlySet<string> {
    if (!isObject(properties)) return NONE;
    const names = Object.entries(properties).flatMap(([name, property]) =>
      this.#isReadOnly(property, file) ? [name] : [],
    );
    return names.length > 0 ? new Set(names) : NONE;
  }

  #isReadOnly(property: unknown, file: string): boolean {
    if (!isObject(property)) return false;
    const { $ref, readOnly } = property;
    if (readOnly === true) return true;
    if (typeof $ref !== 'string') return false;
    const { value } = this.#references.target($ref, file);
    return isObject(value) && value['readOnly'] === true;
  }
}

const NONE: ReadonlySet<string> = new Set();
/** An older keyword for the items after those of a list in `items`. */
const REST_OF_ITEMS = 'additionalItems';
const isOne = (keyword: string): boolean => ONE_SCHEMA.has(keyword) && keyword !== REST_OF_ITEMS;

const isSchema = (value: unknown): boolean => isObject(value) || typeof value === 'boolean';

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((name) => typeof name === 'string');

const pick = (members: Members, name: string): Members =>
  Object.hasOwn(members, name) ? { [name]: members[name] } : {};

/** Returns the valid types of a schema. `file` is a type of older documents. */
function typeKeywords({ type }: Members): Members {
  const types = (Array.isArray(type) ? type : [type]).map((name: unknown) =>
    name === 'file' ? 'string' : name,
  );
  const valid = [...new Set(types.filter((name) => TYPES.has(name)))];
  if (valid.length === 0) return {};
  return { type: valid.length === 1 ? valid[0] : valid };
}

/** Allows null in addition. */
function nullable(schema: Schema): Schema {
  const { type, enum: values, const: constant, description, ...others } = schema;
  const isSimple =
    typeof type === 'string' && constant === undefined && !IN_PLACE.some((key) => key in others);
  if (!isSimple) {
    const { description: text, ...rest } = schema;
    return { ...(text === undefined ? {} : { description: text }), anyOf: [rest, { type: 'null' }] };
  }
  return {
    ...schema,
    type: type === 'null' ? type : [type, 'null'],
    ...(Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {}),
    ...(description === undefined ? {} : { description }),
  };
}

const IN_PLACE = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if'] as const;

/** What remains of a schema when the tool has too many of them. */
const simplified = (schema: Members): Schema =>
  schema['nullable'] === true || !TYPES.has(schema['type']) ? {} : { type: schema['type'] };

const NESTING = new Set([...ONE_SCHEMA, ...LIST_OF_SCHEMAS, ...MAP_OF_SCHEMAS, '$ref']);

/** Whether a schema contains no other schemas, so that it is short enough to be repeated. */
const isLeaf = (schema: unknown): boolean =>
  !isObject(schema) ||
  !Object.entries(schema).some(
    ([key, value]) => NESTING.has(key) && (typeof value === 'object' || key === '$ref'),
  );
