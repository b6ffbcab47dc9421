import { counted } from '#serve/http/pages/browser/format.ts';
import { atPointer, type Schema } from '#serve/http/pages/browser/forms/schema.ts';
import { element, withCode } from '#serve/http/pages/browser/dom.ts';
import { jsonText } from '#serve/http/pages/browser/json-text.ts';

/** A schema object of OpenAPI 3.0 or 3.1. */
export interface ApiSchema extends Schema {
  readonly nullable?: boolean;
  readonly example?: unknown;
  readonly allOf?: readonly ApiSchema[];
}

export interface Media extends Reference {
  readonly schema?: ApiSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Reference & { readonly value?: unknown }>>;
}

/** A parameter, a header, or a body of a request or a response. */
export interface Described extends Reference {
  readonly description?: string;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface Parameter extends Described {
  readonly name: string;
  readonly in: string;
  readonly schema?: ApiSchema;
  readonly example?: unknown;
  readonly required?: boolean;
}

export interface Answer extends Described {
  readonly headers?: Readonly<Record<string, Described>>;
}

interface OperationDetails {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Described;
  readonly responses?: Readonly<Record<string, Answer>>;
}

export interface Operation {
  /** Anchor on the page. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly details: OperationDetails;
}

/** The parts of an OpenAPI 3.0 or 3.1 document that the page shows. */
export interface OpenApi {
  readonly info?: { readonly title: string; readonly version: string; readonly description?: string };
  readonly paths?: Readonly<Record<string, Readonly<Record<string, OperationDetails>>>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, unknown>>;
    readonly securitySchemes?: unknown;
  };
}

interface Reference {
  readonly $ref?: string;
}

/** Resolves a `$ref`. */
export function resolved<Value extends Reference | undefined>(api: OpenApi, value: Value): Value {
  return typeof value?.$ref === 'string' ? resolved(api, atPointer(api, value.$ref) as Value) : value;
}

/**
 * Shows a schema's fields as nested lists. Referenced schemas are expanded in place. `outer`
 * contains the enclosing schemas, because a schema that contains itself is not expanded again.
 */
function fields(
  api: OpenApi,
  schema: ApiSchema | undefined,
  outer: readonly ApiSchema[] = [],
): HTMLElement[] {
  const own = resolved(api, schema);
  if (!own || outer.includes(own)) return [];
  const path = [...outer, own];
  // If an object has fields of its own, its alternatives only restrict which combinations of these
  // fields are allowed.
  const alternatives = own.properties ? undefined : (own.oneOf ?? own.anyOf);
  if (alternatives) {
    return alternatives.flatMap((one) => fields(api, one, path));
  }
  if (own.allOf) return own.allOf.flatMap((one) => fields(api, one, path));
  if (own.items) return fields(api, own.items, path);
  const named = Object.entries(own.properties ?? {});
  if (named.length === 0) {
    return typeof own.additionalProperties === 'object' ? fields(api, own.additionalProperties, path) : [];
  }
  const items = named.map(([name, value]) =>
    field(api, name, value, (own.required ?? []).includes(name), path),
  );
  return [element('ul', { class: 'fields' }, ...items)];
}

function field(
  api: OpenApi,
  name: string,
  schema: ApiSchema | undefined,
  required: boolean,
  outer: readonly ApiSchema[],
) {
  const own = resolved(api, schema);
  return element(
    'li',
    {},
    element('code', { class: 'field-name' }, name),
    ' ',
    element('span', { class: 'field-type' }, typeText(api, own)),
    ...(required ? [] : [' ', element('span', { class: 'field-optional' }, 'optional')]),
    ...prose(own?.description),
    ...fields(api, own, outer),
  );
}

/** Describes a schema's type and limits in words, for example `array of string, 1 to 32 items`. */
export function typeText(api: OpenApi, schema: ApiSchema | undefined) {
  return [typeName(api, schema), ...limits(resolved(api, schema) ?? {})].join(', ');
}

function typeName(api: OpenApi, schema: ApiSchema | undefined): string {
  const own = resolved(api, schema) ?? {};
  const types = [own.type ?? []].flat() as readonly string[];
  const mayBeNull = own.nullable || types.includes('null');
  const named = types.filter((type) => type !== 'null');
  const names =
    choices(api, own) ?? (types.length === 0 ? ['anything'] : named.map((type) => plainName(api, type, own)));
  return [...names, ...(mayBeNull ? ['null'] : [])].join(' or ');
}

/** The names of a schema's alternatives. */
function choices(api: OpenApi, own: ApiSchema): string[] | undefined {
  if (own.const !== undefined) return [JSON.stringify(own.const)];
  if (own.enum) {
    return own.enum.filter((one) => one !== null).map((one) => JSON.stringify(one));
  }
  if (own.properties) return undefined;
  return (own.oneOf ?? own.anyOf)?.map((one) => typeName(api, one));
}

function plainName(api: OpenApi, type: string, { items, additionalProperties }: ApiSchema) {
  const inner = { array: items, object: additionalProperties }[type];
  if (typeof inner !== 'object') return type;
  const name = typeName(api, inner);
  return `${type} of ${name.includes(' or ') ? `(${name})` : name}`;
}

function limits({
  minItems,
  maxItems,
  minLength,
  maxLength,
  minimum,
  maximum,
  default: otherwise,
}: ApiSchema) {
  return [
    ...range(minItems, maxItems, 'item'),
    ...range(minLength, maxLength, 'character'),
    ...range(minimum, maximum),
    ...(otherwise === undefined ? [] : [`default ${JSON.stringify(otherwise)}`]),
  ];
}

function range(least: number | undefined, most: number | undefined, unit?: string) {
  const amount = (count: number) => (unit ? counted(count, unit) : String(count));
  if (least === undefined) return most === undefined ? [] : [`at most ${amount(most)}`];
  if (most === undefined) return [`at least ${amount(least)}`];
  return [least === most ? amount(most) : `${least} to ${amount(most)}`];
}

/** Shows the fields and examples of a body for each of its media types. */
export function contents(api: OpenApi, content: Described['content']) {
  return Object.entries(content ?? {}).flatMap(([type, media]) => [
    element('p', { class: 'content-type' }, element('code', {}, type), ` ${typeText(api, media.schema)}`),
    ...fields(api, media.schema),
    ...examples(examplesOf(api, media)),
  ]);
}

export function examplesOf(api: OpenApi, { schema, example, examples: named }: Media): [string, unknown][] {
  const single = example ?? resolved(api, schema)?.example;
  if (single !== undefined) return [['Example', single]];
  return Object.entries(named ?? {}).map(([name, one]) => [name, resolved(api, one).value]);
}

/** Shows the first example. The user can expand the others. */
function examples([first, ...others]: readonly [string, unknown][]) {
  return [
    ...(first ? [exampleBox('Example', first[1])] : []),
    ...others.map(([name, value]) =>
      element('details', {}, element('summary', {}, `Example: ${name}`), exampleBox(name, value)),
    ),
  ];
}

const exampleBox = (name: string, value: unknown) =>
  element('pre', { tabindex: 0, role: 'group', 'aria-label': name }, element('code', {}, exampleText(value)));

export const exampleText = (value: unknown) => (typeof value === 'string' ? value : jsonText(value));

/**
 * Converts a description to paragraphs, with text between backticks as code. No other markup is
 * supported, and the text is never parsed as HTML.
 */
export const prose = (text: string | undefined) =>
  (text ?? '')
    .split(/\n(?:[^\S\n]*\n)+/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => element('p', {}, ...withCode(paragraph)));
