import {
  hint,
  listOfValid,
  objectOf,
  type ShapeOfParams,
  type Shape,
  Malformed,
  rejectShape,
  filledText,
  flagShape,
  isRecord,
  numberShape,
  oneOfShape,
  textShape,
  annotations,
  LISTED_HINTS,
} from './shape.ts';
import type { CompileProblem } from './schema-compiler.ts';
import { mapInnerSchemas } from './inner-schemas.ts';

const hintFlag = hint(flagShape);

export const toolShape = (problemOf: CompileProblem): Shape<ShapeOfParams> =>
  objectOf({
    name: filledText,
    ...LISTED_HINTS,
    inputSchema: objectSchema,
    outputSchema: hint(resultSchema(problemOf)),
    annotations: hint(
      objectOf({
        title: hint(textShape),
        readOnlyHint: hintFlag,
        destructiveHint: hintFlag,
        idempotentHint: hintFlag,
        openWorldHint: hintFlag,
      }),
    ),
    execution: hint(objectOf({ taskSupport: hint(oneOfShape('required', 'optional', 'forbidden')) })),
  });

const promptArgument = objectOf({
  name: textShape,
  title: hint(textShape),
  description: hint(textShape),
  required: hintFlag,
});

export const prompt: Shape<ShapeOfParams> = objectOf({
  name: filledText,
  ...LISTED_HINTS,
  arguments: hint(listOfValid(promptArgument)),
});

const resourceHints = { ...LISTED_HINTS, mimeType: hint(textShape), annotations: hint(annotations) };

const plainResource = objectOf({
  uri: filledText,
  name: textShape,
  ...resourceHints,
  size: hint(numberShape),
});
export const resource: Shape<ShapeOfParams> = (value) => plainResource(namedBy('uri', value));

const plainTemplate = objectOf({ uriTemplate: filledText, name: textShape, ...resourceHints });
export const resourceTemplate: Shape<ShapeOfParams> = (value) => plainTemplate(namedBy('uriTemplate', value));

/** Uses the URI as the name of a resource that has none. */
const namedBy = (key: string, value: unknown): unknown =>
  isRecord(value) && typeof value['name'] !== 'string' ? { ...value, name: value[key] } : value;

type Schema = Readonly<Record<string, unknown>>;

/**
 * The schema of a tool's arguments, which are always an object. A missing schema, `true`, and PHP's empty
 * list for an empty object all allow any object.
 */
const objectSchema: Shape<Schema> = (value) => {
  if (value === undefined || value === null || value === true || isEmptyList(value))
    return { type: 'object' };
  if (!isRecord(value)) return rejectShape(value, 'a JSON Schema of an object');
  const { required, ...schema } = keywordsWithoutNulls(value);
  const { type = 'object', properties } = schema;
  if (type !== 'object' && !(Array.isArray(type) && type.includes('object'))) {
    throw new Malformed('type', `is ${JSON.stringify(type)}; it must be "object"`);
  }
  const names = hint(listOfValid(textShape))(required);
  return {
    ...('type' in schema ? schema : { type: 'object', ...schema }),
    type: 'object',
    ...(properties === undefined ? {} : { properties: propertySchemas(properties) }),
    ...(names === undefined ? {} : { required: names }),
  };
};

/** The schema of `structuredContent`, which clients use to check the tool's results. */
const resultSchema =
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

/** Converts a property schema to an object, because clients accept nothing else. An invalid schema allows any value. */
function propertySchema(schema: unknown): Schema {
  if (schema === false) return { not: {} };
  return isRecord(schema) ? schema : {};
}

/** Keywords that allow null values. */
const NULLABLE = new Set(['const', 'default', 'example']);

/** Removes keywords that are null, which many languages emit for a missing value. A null schema allows any value. */
function withoutNulls(schema: unknown): unknown {
  if (schema === null) return {};
  return isRecord(schema) ? keywordsWithoutNulls(schema) : schema;
}

const keywordsWithoutNulls = (schema: Schema): Schema =>
  Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword, value]) => value !== null || NULLABLE.has(keyword))
      .map(([keyword, value]) => [keyword, mapInnerSchemas(keyword, value, withoutNulls)]),
  );

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
