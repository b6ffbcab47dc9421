import { Ajv, type ErrorObject } from 'ajv';
import { relevantErrors } from '../json/relevant-errors.ts';
import { TRUSTED_SCHEMAS } from '../json/trusted-schemas.ts';
import { explainValue, RULE_KEYWORD } from './explain-value.ts';
import { type SchemaIssue, stepsOf } from './issue.ts';
import { keyName, listing } from './describe.ts';
import { didYouMean, suggest } from '../text/suggest.ts';

interface ValidateOptions {
  /** Returns the source text of a value. */
  readonly source: (path: readonly string[]) => string;
  /** Returns a replacement for a value that must not be shown. */
  readonly hidden?: (path: readonly string[]) => string | undefined;
}

/** Validates a value. With `fillsDefaults`, also fills in the schema's defaults in place. */
export type ValueValidator = (value: unknown, options: ValidateOptions) => SchemaIssue[];

/** Options for fast compilation, because each compiled schema is only used once or twice. */
const STARTS_SOON = { ...TRUSTED_SCHEMAS, code: { optimize: false } } as const;

export function createValidate(
  schema: object,
  { fillsDefaults = true }: { readonly fillsDefaults?: boolean } = {},
): ValueValidator {
  const ajv = new Ajv({
    strict: true,
    allErrors: true,
    useDefaults: fillsDefaults,
    verbose: true,
    ...STARTS_SOON,
  });
  ajv.addKeyword(RULE_KEYWORD);
  const check = ajv.compile(schema);
  return (value, options) => (check(value) ? [] : explain(check.errors ?? [], options));
}

function explain(found: readonly ErrorObject[], options: ValidateOptions): SchemaIssue[] {
  const errors = relevantErrors(found);
  const [keys, values] = [errors.filter(isAboutKeys), errors.filter((error) => !isAboutKeys(error))];
  return [
    ...explainKeys(keys.filter((error) => !isInForm(error))),
    ...explainUnionKeys(keys.filter(isInForm)),
    ...values.map((error) => explainValue(error, options)),
  ];
}

/** Whether an error belongs to an alternative of a union. */
const isInForm = ({ schemaPath }: ErrorObject): boolean => /\/anyOf\/\d+\/[^/]+$/.test(schemaPath);

const isAboutKeys = ({ keyword }: ErrorObject): boolean =>
  keyword === 'required' || keyword === 'additionalProperties';

/** Explains unknown and missing keys in mappings, one sentence each. */
function explainKeys(errors: readonly ErrorObject[]): SchemaIssue[] {
  return mappings(errors).flatMap(({ path, schema, missing, unknown }) => [
    ...unknown.map((key): SchemaIssue => unknownKey(path, key, schema)),
    ...missing.map((key): SchemaIssue => ({
      path,
      at: 'key',
      message: `missing required key ${keyName(key)}`,
    })),
  ]);
}

/** Explains in one sentence which keys the mapping alternative of a union must have. */
function explainUnionKeys(errors: readonly ErrorObject[]): SchemaIssue[] {
  return mappings(errors).map(({ path, schema, missing, unknown }): SchemaIssue => {
    const { required = [] } = schema;
    const [first] = unknown;
    if (first !== undefined && missing.length === 0 && unknown.length === 1)
      return unknownKey(path, first, schema);
    const field = path.at(-1) ?? '';
    const isMixed = unknown.includes(field) && missing.length < required.length;
    const optional = Object.keys(schema.properties).filter((key) => !required.includes(key));
    const message = [
      `expected a string, or a mapping with ${listing(required)}`,
      optional.length > 0 ? ` (optionally ${listing(optional)})` : '',
      isMixed ? ', not both' : '',
      missing.length > 0 ? `; missing ${listing(missing)}` : '',
      notPartOfIt(isMixed ? unknown.filter((key) => key !== field) : unknown),
    ].join('');
    return first === undefined
      ? { path, at: 'key', message }
      : { path: [...path, first], at: 'key', label: path, message };
  });
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, { readonly anyOf?: readonly Partial<ObjectSchema>[] }>>;
  readonly required?: readonly string[];
}

interface Mapping {
  readonly path: readonly string[];
  readonly schema: ObjectSchema;
  readonly missing: readonly string[];
  readonly unknown: readonly string[];
}

function mappings(errors: readonly ErrorObject[]): Mapping[] {
  return [...Map.groupBy(errors, ({ instancePath }) => instancePath)].map(([pointer, group]) => {
    const { properties = {}, required = [] } = group[0]?.parentSchema ?? {};
    const schema: ObjectSchema = { properties, required };
    const unknown = group.flatMap(({ params }) => keysOf(params['additionalProperty']));
    // Reports a misspelled key as one mistake, instead of an unknown key and a missing key.
    const meant = new Set(unknown.map((key) => suggest(key, Object.keys(schema.properties))));
    const missing = group
      .flatMap(({ params }) => keysOf(params['missingProperty']))
      .filter((key) => !meant.has(key));
    return { path: stepsOf(pointer), schema, missing, unknown };
  });
}

const notPartOfIt = (unknown: readonly string[]): string =>
  unknown.length === 0 ? '' : `; ${listing(unknown)} ${unknown.length > 1 ? 'are' : 'is'} not allowed here`;

const keysOf = (key: unknown): string[] => (typeof key === 'string' ? [key] : []);

function unknownKey(path: readonly string[], key: string, { properties }: ObjectSchema): SchemaIssue {
  const known = Object.keys(properties);
  const owner = known.find((name) =>
    properties[name]?.anyOf?.some(
      (branch) => branch.properties !== undefined && Object.hasOwn(branch.properties, key),
    ),
  );
  const belongs = owner === undefined ? '' : `; it belongs under \`${owner}:\``;
  const hint = belongs || didYouMean(key, known) || `; expected ${listing(known)}`;
  return { path: [...path, key], at: 'key', label: path, message: `unknown key ${keyName(key)}${hint}` };
}
