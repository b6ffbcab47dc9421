import { isObject } from '#core/json/is-object.ts';
import { type ApiBody, type BodyKind, type FormField, type Schema, UnusableOperation } from './plan.ts';
import { type Located, type References, tableOf } from './references.ts';
import type { SchemaConverter } from './schema-converter.ts';
import { MAX_DETAIL, shortened, textOf } from './text-limits.ts';
import type { ArgumentNames } from './tool-names.ts';

export interface ReadBody {
  readonly body: ApiBody;
  readonly schema: Schema;
}

interface BodyContext {
  readonly references: References;
  readonly converter: SchemaConverter;
  readonly names: ArgumentNames;
}

/** Media types in order of preference, with how their bodies are written. */
const KINDS: readonly (readonly [pattern: RegExp, kind: BodyKind])[] = [
  [/^application\/json(?:;|$)/, 'json'],
  [/^[^/]+\/[^;]*\+json(?:;|$)|^text\/json/, 'json'],
  [/^application\/x-www-form-urlencoded/, 'form'],
  [/^multipart\/form-data/, 'multipart'],
  [/^text\/|[/+]xml(?:;|$)|^application\/(?:yaml|x-yaml|graphql|javascript|x-ndjson|jsonl)/, 'text'],
  [/^\*\/\*/, 'json'],
  [/^(?!multipart\/)[^/]+\/./, 'binary'],
];
/** Sent for a media type with a wildcard. */
const CONCRETE: Readonly<Record<BodyKind, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
  text: 'text/plain',
  binary: 'application/octet-stream',
};

/** A file in a form, as an argument. */
const FILE: Schema = {
  type: 'object',
  description: 'A file.',
  properties: {
    data: { type: 'string', contentEncoding: 'base64', description: 'Content of the file in base64.' },
    filename: { type: 'string' },
    content_type: { type: 'string', description: 'Media type, such as image/png.' },
  },
  required: ['data'],
};

/** Reads the request body of an operation, in the media type that is easiest to write. */
export function readBody(requestBody: Located, context: BodyContext): ReadBody | undefined {
  const { references, converter, names } = context;
  const { value: described, file } = references.follow(
    requestBody.value,
    requestBody.file,
    'its request body',
  );
  const content = tableOf(described['content']);
  const found = KINDS.flatMap(([pattern, kind]) =>
    Object.entries(content)
      .filter(([type]) => pattern.test(type.trim().toLowerCase()))
      .map(([type, media]) => ({ type: type.trim(), kind, media: tableOf(media) })),
  )[0];
  if (!found) {
    const [type] = Object.keys(content);
    if (type === undefined) return undefined;
    throw new UnusableOperation(
      `its request body has the unsupported media type ${JSON.stringify(type.slice(0, 100))}`,
    );
  }
  const { type, kind, media } = found;
  if (!/^[\w!#$&^.+*/ ;="'-]+$/.test(type))
    throw new UnusableOperation('its request body has an invalid media type');
  const form = formSchema(kind, { value: media['schema'], file }, media['encoding'], references);
  const schema = schemaOf(kind, form.schema, converter);
  const text = shortened(textOf(described['description']) || textOf(schema['description']), MAX_DETAIL);
  const body: ApiBody = {
    argument: names.choose('body', 'request'),
    mediaType: type.includes('*') ? CONCRETE[kind] : type,
    kind,
    required: described['required'] === true,
    fields: form.fields,
  };
  return { body, schema: text === '' ? schema : { ...schema, description: text } };
}

function schemaOf(kind: BodyKind, schema: Located, converter: SchemaConverter): Schema {
  if (kind === 'binary')
    return {
      type: 'string',
      contentEncoding: 'base64',
      description: 'Content of the request body in base64.',
    };
  if (kind === 'text') return { type: 'string', description: 'Text of the request body.' };
  const converted = isObject(schema.value) ? converter.convert(schema) : {};
  if (kind === 'json') return converted;
  return { type: 'object', ...converted };
}

/** Returns the schema of a form in which files are objects, and how its fields are written. */
function formSchema(
  kind: BodyKind,
  schema: Located,
  encodings: unknown,
  references: References,
): { readonly schema: Located; readonly fields: Readonly<Record<string, FormField>> } {
  const isForm = kind === 'form' || kind === 'multipart';
  if (!isForm || !isObject(schema.value)) return { schema, fields: {} };
  const form = references.follow(schema.value, schema.file, 'the schema of its request body');
  const properties = Object.entries(tableOf(form.value['properties']));
  const encoded = tableOf(encodings);
  const isFile = new Map(
    properties.map(([name, property]) => [
      name,
      kind === 'multipart' ? fileKind(property, form.file, references) : undefined,
    ]),
  );
  const fields = Object.fromEntries(
    [...new Set([...properties.map(([name]) => name), ...Object.keys(encoded)])].map((name) => [
      name,
      fieldOf(encoded[name], isFile.get(name) !== undefined),
    ]),
  );
  if (![...isFile.values()].some((file) => file !== undefined)) return { schema, fields };
  const replaced = properties.map(([name, property]) => {
    const file = isFile.get(name);
    if (file === undefined) return [name, property];
    return [name, file === 'one' ? FILE : { type: 'array', items: FILE }];
  });
  const value = { ...form.value, properties: Object.fromEntries(replaced) };
  return { schema: { value, file: form.file }, fields };
}

function fieldOf(encoding: unknown, isFile: boolean): FormField {
  const { contentType, style, explode, allowReserved } = tableOf(encoding);
  const [type] = textOf(contentType).split(',');
  return {
    isFile,
    ...(type !== undefined && /^[\w.+-]+\/[\w.+-]+$/.test(type.trim()) ? { contentType: type.trim() } : {}),
    ...(typeof style === 'string' ? { style } : {}),
    ...(typeof explode === 'boolean' ? { explode } : {}),
    ...(allowReserved === true ? { allowReserved } : {}),
  };
}

function fileKind(
  property: unknown,
  file: string,
  references: References,
  isItem = false,
): 'one' | 'many' | undefined {
  if (!isObject(property)) return undefined;
  const { value, file: inner } = references.follow(property, file, 'a schema');
  const { type, format, items, contentMediaType, contentEncoding } = value;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (types.includes('array')) {
    const isList = !isItem && fileKind(items, inner, references, true) === 'one';
    return isList ? 'many' : undefined;
  }
  if (format === 'binary' || type === 'file') return 'one';
  const isBinary = typeof contentMediaType === 'string' && !/^text\/|json|xml/.test(contentMediaType);
  return isBinary && contentEncoding === undefined && (types.includes('string') || type === undefined)
    ? 'one'
    : undefined;
}
