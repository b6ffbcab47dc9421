import { mapInnerSchemas } from './inner-schemas.ts';
import { hint, listOfValid } from './members.ts';
import type { CompileProblem } from './schema-compiler.ts';
import { Malformed, refuse, type Shape } from './shape.ts';
import { isRecord, text } from './values.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * The schema of the arguments of a tool, which are always an object. What says nothing stands for any object: no schema, `true`,
 * and the empty list that PHP writes for an empty object.
 */
export const objectSchema: Shape<Schema> = (value) => {
  if (value === undefined || value === null || value === true || isEmptyList(value))
    return { type: 'object' };
  if (!isRecord(value)) return refuse(value, 'a JSON Schema of an object');
  const { required, ...schema } = keywordsWithoutNulls(value);
  const { type = 'object', properties } = schema;
  if (type !== 'object' && !(Array.isArray(type) && type.includes('object'))) {
    throw new Malformed('type', `is ${JSON.stringify(type)}; it must be "object"`);
  }
  const names = hint(listOfValid(text))(required);
  return {
    ...('type' in schema ? schema : { type: 'object', ...schema }),
    type: 'object',
    ...(properties === undefined ? {} : { properties: propertySchemas(properties) }),
    ...(names === undefined ? {} : { required: names }),
  };
};

/** The schema of what a tool gives as `structuredContent`, with which clients check it. */
export const resultSchema =
  (problemOf: CompileProblem): Shape =>
  (value) => {
    const schema = objectSchema(value);
    const problem = problemOf(schema);
    if (problem !== undefined) throw new Malformed('', problem);
    return schema;
  };

function propertySchemas(value: unknown): Schema {
  if (isEmptyList(value)) return {};
  if (!isRecord(value)) throw new Malformed('properties', 'must be an object of JSON Schemas');
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, propertySchema(schema)]));
}

/** Clients take only objects here. What is no schema at all says nothing of its property. */
function propertySchema(schema: unknown): Schema {
  if (schema === false) return { not: {} };
  return isRecord(schema) ? schema : {};
}

/** These can be null. */
const DATA = new Set(['const', 'default', 'example']);

/** Without keywords that are null, which many languages write where there is no value. A schema that is null allows anything. */
function withoutNulls(schema: unknown): unknown {
  if (schema === null) return {};
  return isRecord(schema) ? keywordsWithoutNulls(schema) : schema;
}

const keywordsWithoutNulls = (schema: Schema): Schema =>
  Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword, value]) => value !== null || DATA.has(keyword))
      .map(([keyword, value]) => [keyword, mapInnerSchemas(keyword, value, withoutNulls)]),
  );

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
