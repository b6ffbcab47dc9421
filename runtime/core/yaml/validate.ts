import { Ajv, type ErrorObject } from 'ajv';
import { relevantErrors } from '../json/relevant-errors.ts';
import { TRUSTED_SCHEMAS } from '../json/trusted-schemas.ts';
import { explainKeys, explainUnionKeys, isAboutKeys } from './explain-keys.ts';
import { explainValue, RULE_KEYWORD } from './explain-value.ts';
import type { Finding } from './issue.ts';

interface ValidateOptions {
  /** Returns the source text of a value. */
  readonly source: (path: readonly string[]) => string;
  /** Returns a replacement for a value that must not be shown. */
  readonly hidden?: (path: readonly string[]) => string | undefined;
}

/** Validates values, and fills in the schema's defaults in place, unless the resolver of the values does that. */
export type Validate = (value: unknown, options: ValidateOptions) => Finding[];

/** Compiled schemas are used once or twice, so compilation must be fast. */
const STARTS_SOON = { ...TRUSTED_SCHEMAS, code: { optimize: false } } as const;

export function createValidate(
  schema: object,
  { fillsDefaults = true }: { readonly fillsDefaults?: boolean } = {},
): Validate {
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

function explain(found: readonly ErrorObject[], options: ValidateOptions): Finding[] {
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
