import { Ajv, type ErrorObject } from 'ajv';
import { meantErrors } from '../meant-errors.ts';
import { explainKeys, explainUnionKeys, isAboutKeys } from './explain-keys.ts';
import { explainValue, RULE_KEYWORD } from './explain-value.ts';
import type { Finding } from './issue.ts';

interface ValidateOptions {
  /** The text of a value as the user wrote it. */
  readonly source: (path: readonly string[]) => string;
  /** What messages say in place of a value that may not be shown. */
  readonly hidden?: (path: readonly string[]) => string | undefined;
}

/** Checks values, and fills in the schema's defaults in place. */
export type Validate = (value: unknown, options: ValidateOptions) => Finding[];

/** What is compiled is used once or twice, and that our schemas are schemas is for tests to say. */
const STARTS_SOON = { meta: false, validateSchema: false, code: { optimize: false } } as const;

export function createValidate(schema: object): Validate {
  const ajv = new Ajv({ strict: true, allErrors: true, useDefaults: true, verbose: true, ...STARTS_SOON });
  ajv.addKeyword(RULE_KEYWORD);
  const check = ajv.compile(schema);
  return (value, options) => (check(value) ? [] : explain(check.errors ?? [], options));
}

function explain(found: readonly ErrorObject[], options: ValidateOptions): Finding[] {
  const errors = meantErrors(found);
  const [keys, values] = [errors.filter(isAboutKeys), errors.filter((error) => !isAboutKeys(error))];
  return [
    ...explainKeys(keys.filter((error) => !isInForm(error))),
    ...explainUnionKeys(keys.filter(isInForm)),
    ...values.map((error) => explainValue(error, options)),
  ];
}

/** Of one of the forms that a value may have. */
const isInForm = ({ schemaPath }: ErrorObject): boolean => /\/anyOf\/\d+\/[^/]+$/.test(schemaPath);
