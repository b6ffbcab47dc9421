import { isObject } from '#core/json/is-object.ts';
import { lookup } from '#core/values/lookup.ts';
import { MAX_DETAIL, shortened } from './text-limits.ts';

export const TYPES: ReadonlySet<unknown> = new Set([
  'array',
  'boolean',
  'integer',
  'null',
  'number',
  'object',
  'string',
]);

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isText = (value: unknown): value is string => typeof value === 'string';

/** Maximum length of a default value or an example as JSON. */
const MAX_VALUE = 200;
const isShort = (value: unknown): boolean =>
  !isObject(value) && !Array.isArray(value) ? String(value).length <= MAX_VALUE : isShortJson(value);

function isShortJson(value: unknown): boolean {
  let left = MAX_VALUE;
  const open: unknown[] = [value];
  while (open.length > 0 && left > 0) {
    const item = open.pop();
    if (typeof item !== 'object' || item === null) left -= String(item).length + 1;
    else
      for (const [key, member] of Object.entries(item)) {
        left -= key.length + 1;
        if (left <= 0) return false;
        open.push(member);
      }
  }
  return left > 0;
}

/**
 * Keywords with plain values. A value that JSON Schema does not allow is left out, because a client would reject
 * the whole tool.
 */
const PLAIN = lookup<(value: unknown) => unknown>({
  description: (value) => (isText(value) && value.trim() !== '' ? shortened(value, MAX_DETAIL) : undefined),
  default: (value) => (value !== undefined && isShort(value) ? value : undefined),
  const: (value) => value,
  deprecated: (value) => (value === true ? true : undefined),
  format: (value) => (isText(value) ? value : undefined),
  contentEncoding: (value) => (isText(value) ? value : undefined),
  contentMediaType: (value) => (isText(value) ? value : undefined),
  pattern: (value) => (isText(value) && isPattern(value) ? value : undefined),
  minimum: (value) => (isNumber(value) ? value : undefined),
  maximum: (value) => (isNumber(value) ? value : undefined),
  multipleOf: (value) => (isNumber(value) && value > 0 ? value : undefined),
  uniqueItems: (value) => (typeof value === 'boolean' ? value : undefined),
  ...Object.fromEntries(
    [
      'minLength',
      'maxLength',
      'minItems',
      'maxItems',
      'minProperties',
      'maxProperties',
      'minContains',
      'maxContains',
    ].map((keyword) => [keyword, (value: unknown) => (isCount(value) ? value : undefined)]),
  ),
});

/** Returns a schema's keywords that contain no other schemas. */
export function plainKeywords(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    const valid = PLAIN[keyword]?.(value);
    if (valid !== undefined) kept[keyword] = valid;
  }
  return { ...kept, ...bounds(schema), ...values(schema), ...example(schema) };
}

/** In OpenAPI 3.0, `exclusiveMinimum` is a flag for `minimum`. */
function bounds(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [exclusive, inclusive] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    const value = schema[exclusive];
    const bound = value === true ? schema[inclusive] : value;
    if (isNumber(bound)) result[exclusive] = bound;
  }
  return result;
}

/** Maximum number of values of an enumeration. A longer one allows any value. */
const MAX_VALUES = 1000;

function values({ enum: listed }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (!Array.isArray(listed) || listed.length === 0 || listed.length > MAX_VALUES) return {};
  const unique = new Map(listed.map((value: unknown) => [JSON.stringify(value), value]));
  return { enum: [...unique.values()] };
}

function example({ example: one, examples }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const listed: unknown[] = Array.isArray(examples) ? examples.slice(0, 3) : [];
  const shown = (one === undefined ? listed : [one]).filter(
    (value) => ['string', 'number', 'boolean'].includes(typeof value) && isShort(value),
  );
  return shown.length > 0 ? { examples: shown } : {};
}

/** Maximum length of a regular expression. */
const MAX_PATTERN = 500;

/** Whether JavaScript, in which clients are written, can compile a regular expression. */
export function isPattern(text: string): boolean {
  if (text.length > MAX_PATTERN) return false;
  try {
    // oxlint-disable-next-line encoderfile/linear-regexp -- it is only compiled, never applied to a text.
    return new RegExp(text, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
