import type { ErrorObject } from 'ajv';

/**
 * Selects the relevant errors for values that can match one of several alternatives. ajv (with
 * `allErrors` and `verbose`) reports the errors for all alternatives, but only the errors for the
 * intended alternative are relevant. If no alternative fits, the error for the union itself is
 * returned.
 */
export function relevantErrors(reported: readonly ErrorObject[]): ErrorObject[] {
  const errors = reported.filter((error) => !isRepeatedByEnum(error, reported));
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf');
  const outside = errors.filter((error) => !unions.some((union) => isInside(error, union)));
  return outside.flatMap((error) => (error.keyword === 'anyOf' ? problemsOfBranch(error, errors) : [error]));
}

/**
 * For a value of the wrong type, ajv also reports that it is not one of the allowed values, which
 * is more helpful.
 */
const isRepeatedByEnum = (
  { keyword, instancePath, parentSchema }: ErrorObject,
  all: readonly ErrorObject[],
): boolean =>
  keyword === 'type' &&
  all.some((o) => o.keyword === 'enum' && o.instancePath === instancePath && o.parentSchema === parentSchema);

function problemsOfBranch(union: ErrorObject, errors: readonly ErrorObject[]): ErrorObject[] {
  const branch = intendedBranch(alternativesOf(union), union.data);
  const path = `${union.schemaPath}/${branch}/`;
  const found = errors.filter((error) => isInside(error, union) && error.schemaPath.startsWith(path));
  return branch < 0 || found.length === 0 ? [union] : relevantErrors(found);
}

/** Returns the alternatives of the union that an error is about. */
export const alternativesOf = ({ schema }: Pick<ErrorObject, 'schema'>): readonly SchemaBranch[] =>
  Array.isArray(schema) ? schema : [];

/** Index of the intended alternative; negative if unknown. */
function intendedBranch(branches: readonly SchemaBranch[], value: unknown): number {
  const best = branches.findIndex((candidate) => fits(candidate, value));
  if (best >= 0) return best;
  // If the only alternative to a list is null, a list is intended, whatever it contains.
  const others = branches.filter(({ type }) => type !== 'null');
  return branches.findIndex(({ type }) => others.length === 1 && type === typeOf(value));
}

/** The elements of a list have the same schema path, so the instance paths are compared, too. */
const isInside = (error: ErrorObject, union: ErrorObject): boolean =>
  error !== union &&
  error.schemaPath.startsWith(`${union.schemaPath}/`) &&
  `${error.instancePath}/`.startsWith(`${union.instancePath}/`);

/** The part of an alternative's schema that identifies it. */
export interface SchemaBranch {
  readonly type?: string;
  readonly title?: string;
  readonly required?: readonly string[];
  readonly items?: SchemaBranch;
  readonly anyOf?: readonly SchemaBranch[];
}

/**
 * Whether a value has the alternative's type, or one of its types; for lists, whether the first element has
 * the item type.
 */
function fits({ type, items, anyOf }: SchemaBranch, value: unknown): boolean {
  if (anyOf) return anyOf.some((branch) => fits(branch, value));
  if (type !== (typeOf(value) === 'number' && type === 'integer' ? 'integer' : typeOf(value))) return false;
  return !Array.isArray(value) || value.length === 0 || items === undefined || fits(items, value[0]);
}

/** A value's type in JSON Schema terms. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
