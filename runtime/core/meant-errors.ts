import type { ErrorObject } from 'ajv';

/**
 * Of a value that may have several forms ajv (with `allErrors` and `verbose`) tells what is wrong with each; only the form that
 * was meant counts. Where none can have been meant, the union itself is what is wrong.
 */
export function meantErrors(errors: readonly ErrorObject[]): ErrorObject[] {
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf');
  const outside = errors.filter((error) => !unions.some((union) => isInside(error, union)));
  return outside.flatMap((error) => (error.keyword === 'anyOf' ? problemsOfBranch(error, errors) : [error]));
}

function problemsOfBranch(union: ErrorObject, errors: readonly ErrorObject[]): ErrorObject[] {
  const branch = meantBranch(union.schema as SchemaBranch[], union.data);
  const path = `${union.schemaPath}/${branch}/`;
  const found = errors.filter((error) => isInside(error, union) && error.schemaPath.startsWith(path));
  return branch < 0 || found.length === 0 ? [union] : meantErrors(found);
}

/** Below zero if it cannot be told. */
function meantBranch(branches: readonly SchemaBranch[], value: unknown): number {
  const best = branches.findIndex((candidate) => fits(candidate, value));
  if (best >= 0) return best;
  // A list that may only be left out by null can mean nothing else, whatever is in it.
  const others = branches.filter(({ type }) => type !== 'null');
  return branches.findIndex(({ type }) => others.length === 1 && type === typeOf(value));
}

/** Elements of a list share their place in the schema, so the place in the value counts too. */
const isInside = (error: ErrorObject, union: ErrorObject): boolean =>
  error !== union &&
  error.schemaPath.startsWith(`${union.schemaPath}/`) &&
  `${error.instancePath}/`.startsWith(`${union.instancePath}/`);

/** What of a form's schema tells which form it is. */
export interface SchemaBranch {
  readonly type?: string;
  readonly title?: string;
  readonly required?: readonly string[];
  readonly items?: SchemaBranch;
  readonly anyOf?: readonly SchemaBranch[];
}

/** Whether a value has the form's type, and if it is a list, its first element that of the form's elements. */
function fits({ type, items }: SchemaBranch, value: unknown): boolean {
  if (type !== (typeOf(value) === 'number' && type === 'integer' ? 'integer' : typeOf(value))) return false;
  return !Array.isArray(value) || value.length === 0 || items === undefined || fits(items, value[0]);
}

/** As JSON Schema calls it. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
