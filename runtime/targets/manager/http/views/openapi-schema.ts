import { Ajv2020 } from 'ajv/dist/2020.js';
import { isObject } from '#core/json/is-object.ts';
import { mapInnerSchemas } from '../../shapes/inner-schemas.ts';
import type { ShapeOfParams } from '../../shapes/shape.ts';
import { inlineRefs } from './inline-refs.ts';

/** Converts a tool schema to one that is valid in an OpenAPI 3.1 document. */
export type OpenApiSchema = (schema: ShapeOfParams) => ShapeOfParams;

/**
 * OpenAPI 3.1 uses JSON Schema 2020-12. Servers also use older drafts, and keywords that change meaning
 * inside a document: internal references and `$id`. A part that remains invalid allows any value.
 */
export function createOpenApiSchema(): OpenApiSchema {
  const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false });
  const isValid = (schema: unknown): boolean => ajv.validateSchema(schema as object) === true;
  const validOr = (schema: unknown, replacement: ShapeOfParams): unknown =>
    isValid(schema) ? schema : replacement;
  return (original) => {
    const schema = convert(inlineRefs(original));
    if (!isObject(schema)) return {};
    if (isValid(schema)) return schema;
    // Replaces only the invalid properties, so that one of them does not hide the others.
    const properties = Object.entries(isObject(schema['properties']) ? schema['properties'] : {}).map(
      ([name, part]) => [name, validOr(part, {})],
    );
    const reduced = {
      type: 'object',
      ...textMembers(schema),
      properties: Object.fromEntries(properties) as ShapeOfParams,
      ...(Array.isArray(schema['required']) ? { required: schema['required'] } : {}),
    };
    return isValid(reduced) ? reduced : { type: 'object' };
  };
}

const textMembers = (schema: ShapeOfParams): ShapeOfParams =>
  Object.fromEntries(
    Object.entries(schema).filter(
      ([keyword, value]) => ['title', 'description'].includes(keyword) && typeof value === 'string',
    ),
  );

/** Keywords that would refer to other parts of the document, or have a special meaning in OpenAPI. */
const DROPPED = new Set([
  '$anchor',
  '$comment',
  '$dynamicAnchor',
  '$dynamicRef',
  '$id',
  '$recursiveAnchor',
  '$recursiveRef',
  '$ref',
  '$schema',
  '$vocabulary',
  'additionalItems',
  'dependencies',
  'discriminator',
  'externalDocs',
  'id',
  'xml',
]);

const TYPES = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

function convert(schema: unknown): unknown {
  if (!isObject(schema)) return typeof schema === 'boolean' ? schema : {};
  const kept = Object.entries(modernized(schema)).filter(([keyword]) => !DROPPED.has(keyword));
  return Object.fromEntries(
    kept.flatMap(([keyword, value]) => {
      const usable = usableValue(keyword, value);
      return usable === undefined ? [] : [[keyword, mapInnerSchemas(keyword, usable, convert)]];
    }),
  );
}

/** Replaces keywords of older drafts. */
function modernized(schema: ShapeOfParams): ShapeOfParams {
  const { items, additionalItems, dependencies } = schema;
  return {
    ...schema,
    ...limit(schema, 'minimum', 'exclusiveMinimum'),
    ...limit(schema, 'maximum', 'exclusiveMaximum'),
    ...(Array.isArray(items) ? { prefixItems: items, items: additionalItems } : {}),
    ...(isObject(dependencies) ? { dependentRequired: requiredNames(dependencies) } : {}),
  };
}

/** In draft 4, `exclusiveMinimum` is a flag of `minimum`. */
function limit(schema: ShapeOfParams, inclusive: string, exclusive: string): ShapeOfParams {
  const flag = schema[exclusive];
  if (typeof flag !== 'boolean') return {};
  return flag
    ? { [inclusive]: undefined, [exclusive]: schema[inclusive] }
    : { [inclusive]: schema[inclusive], [exclusive]: undefined };
}

const requiredNames = (dependencies: ShapeOfParams): ShapeOfParams =>
  Object.fromEntries(Object.entries(dependencies).filter(([, names]) => Array.isArray(names)));

/** Returns a keyword's value without invalid parts; undefined if nothing is left. */
function usableValue(keyword: string, value: unknown): unknown {
  if (keyword === 'type') return usableType(value);
  if (keyword === 'required') return usableRequired(value);
  // An empty list of alternatives allows nothing, and OpenAPI does not allow empty lists of values.
  if (['allOf', 'anyOf', 'oneOf', 'enum', 'prefixItems', 'examples'].includes(keyword))
    return Array.isArray(value) && value.length > 0 ? value : undefined;
  return value;
}

function usableType(type: unknown): unknown {
  if (!Array.isArray(type)) return TYPES.has(String(type)) ? type : undefined;
  const known = [...new Set(type)].filter((one) => TYPES.has(String(one)));
  return known.length > 0 ? known : undefined;
}

function usableRequired(names: unknown): unknown {
  if (!Array.isArray(names)) return undefined;
  return [...new Set(names)].filter((name) => typeof name === 'string');
}
