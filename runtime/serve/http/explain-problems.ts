import { lookup } from '#core/values/lookup.ts';
import type { ErrorObject } from 'ajv';
import { closest, distance } from 'fastest-levenshtein';
import type { ErrorDetail } from '#contract/errors.ts';
import { alternativesOf, relevantErrors, type SchemaBranch, typeOf } from '#core/json/relevant-errors.ts';
import { memberOf } from '#core/values/member-of.ts';

/** Schema keyword: the message for an empty value. */
export const MESSAGE_KEYWORD = 'x-empty-message';

const MAX_REPORTED = 20;
/**
 * Maximum number of validation errors to examine, because every element of a list can cause an
 * error for each alternative of its schema.
 */
const MAX_EXAMINED = 200;

/** Converts errors from ajv (with `verbose`) to sentences for the author of the request. */
export function explainProblems(errors: readonly ErrorObject[]): string {
  const sentences = [...new Set(relevantErrors(examined(errors)).map((error) => sentence(error)))];
  const more = sentences.length > MAX_REPORTED || errors.length > MAX_EXAMINED ? ['and more'] : [];
  return [...sentences.slice(0, MAX_REPORTED), ...more].join('; ');
}

/** Returns the same information as a list with the location and the value of each problem. */
export function problemsOf(errors: readonly ErrorObject[]): ErrorDetail[] {
  const found = relevantErrors(examined(errors)).slice(0, MAX_REPORTED);
  return found.map((error) => ({
    message: sentence(error),
    location: ['body', ...stepsTo(error)].join('.'),
    rule: error.keyword,
    ...shortValue(error),
  }));
}

function stepsTo({ instancePath, params }: ErrorObject): string[] {
  const key: unknown = params['missingProperty'] ?? params['additionalProperty'];
  const outside = instancePath === '' ? [] : placeOf(instancePath).split('/');
  return typeof key === 'string' ? [...outside, key.slice(0, 64)] : outside;
}

/**
 * Only short values are included. If a field is missing, the reported value is the whole object
 * that should contain the field.
 */
function shortValue({ data, params }: ErrorObject): { value?: unknown } {
  const key: unknown = params['additionalProperty'];
  const value = typeof key === 'string' ? memberOf(data, key) : data;
  const isShort = typeof value === 'string' ? value.length <= 100 : typeof value !== 'object';
  return params['missingProperty'] === undefined && (isShort || value === null) ? { value } : {};
}

function examined(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  if (errors.length <= MAX_EXAMINED) return errors;
  const first = errors.slice(0, MAX_EXAMINED);
  // ajv lists the errors for the alternatives of a value before the error for the value itself. All
  // of these errors are kept or dropped together.
  return first.slice(0, 1 + first.findLastIndex(({ schemaPath }) => !schemaPath.includes('/anyOf/')));
}

function sentence({ keyword, instancePath, params, schema, parentSchema, data }: ErrorObject): string {
  const place = placeOf(instancePath);
  switch (keyword) {
    case 'required':
      return `${placeOf(`${instancePath}/${String(params['missingProperty'])}`)} is missing`;
    case 'additionalProperties':
      return unknownKey(String(params['additionalProperty']), instancePath, parentSchema);
    case 'type':
      return `${place} must be ${nameOf({ title: parentSchema?.['title'], type: parentSchema?.['type'] })}, not ${describe(data)}`;
    case 'anyOf':
      return eitherOf(place, alternativesOf({ schema }), data);
    case 'enum':
      return `${place} must be one of ${listing(listOf(schema).filter((value) => value !== null && value !== ''))}, not ${describe(data)}`;
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      if (parentSchema?.[MESSAGE_KEYWORD] !== undefined && schema === 1)
        return String(parentSchema[MESSAGE_KEYWORD]);
      return schema === 1
        ? `${place} must not be empty`
        : `${place} must have at least ${String(schema)} elements`;
    case 'maxLength':
      return `${place} must have at most ${String(schema)} characters, not ${Array.from(String(data)).length}`;
    case 'maxItems':
      return `${place} must have at most ${String(schema)} elements, not ${listOf(data).length}`;
    case 'minimum':
      return `${place} must be at least ${String(schema)}, not ${describe(data)}`;
    case 'exclusiveMinimum':
      return `${place} must be greater than ${String(schema)}, not ${describe(data)}`;
    case 'maximum':
      return `${place} must be at most ${String(schema)}, not ${describe(data)}`;
    default:
      return `${place} is invalid: ${keyword}`;
  }
}

/**
 * The formatter is created when the first problem is reported, because loading its data would slow
 * down the startup.
 */
const oneOf = (names: readonly string[]): string =>
  new Intl.ListFormat('en', { type: 'disjunction' }).format(names);

function eitherOf(place: string, branches: readonly SchemaBranch[], data: unknown): string {
  const keys = branches.map(({ required }) => required?.[0]);
  if (keys.every((key) => key !== undefined)) return `${oneOf(keys)} is missing`;
  return `${place} must be ${oneOf(flat(branches).map((branch) => nameOf(branch)))}, not ${describe(data)}`;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Flattens alternatives that are nested in alternatives. */
const flat = (branches: readonly SchemaBranch[]): SchemaBranch[] =>
  branches.flatMap((branch) => (branch.anyOf && branch.title === undefined ? flat(branch.anyOf) : [branch]));

function unknownKey(key: string, instancePath: string, schema: ErrorObject['parentSchema']): string {
  const known = Object.keys(schema?.['properties'] ?? {});
  // A long string is not a misspelled key.
  const written = key.slice(0, 64);
  const best = known.length === 0 ? undefined : closest(written, known);
  const hint =
    best !== undefined && distance(written, best) <= Math.min(3, Math.floor(best.length / 3))
      ? `did you mean ${best}?`
      : `known keys: ${known.join(', ')}`;
  const where = instancePath === '' ? '' : ` in ${placeOf(instancePath)}`;
  return `unknown key ${JSON.stringify(written)}${where} (${hint})`;
}

const TYPE_NAMES = lookup<string>({
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
});

const nameOf = ({ title, type = '' }: SchemaBranch): string => title ?? TYPE_NAMES[type] ?? type;

/** Describes lists and objects only by kind, because they can be large. */
function describe(value: unknown): string {
  const type = typeOf(value);
  if (type === 'array' || type === 'object') return TYPE_NAMES[type] ?? type;
  // A number that is too large for a double cannot be represented in JSON.
  const written = typeof value === 'number' ? String(value) : JSON.stringify(value);
  return written.length > 40 ? `${written.slice(0, 40)}…` : written;
}

const listing = (values: readonly unknown[]): string => values.map((value) => String(value)).join(', ');

/** Formats the location `/inputs/3` as `inputs/3`. */
function placeOf(instancePath: string): string {
  if (instancePath === '') return 'the body';
  return instancePath.slice(1, 101).replaceAll('~1', '/').replaceAll('~0', '~');
}
