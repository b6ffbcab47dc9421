import { Ajv, type ErrorObject } from 'ajv';
import { CONFIG_SCHEMA } from '../../runtime/contract/config-schema.ts';
import { isMapping } from './describe.ts';
import { explainValue } from './explain-value.ts';
import { explainKeys, explainUnionKeys, isAboutKeys } from './explain-keys.ts';
import type { Finding } from './issue.ts';

/** Checks the value against the schema and fills in its defaults, in place. */
export function validate(
  value: Record<string, unknown>,
  source: (path: readonly string[]) => string,
): Finding[] {
  const check = new Ajv({ strict: true, allErrors: true, useDefaults: true, verbose: true }).compile(
    CONFIG_SCHEMA,
  );
  if (check(value)) return [];
  const errors = check.errors ?? [];
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf');
  const plain = errors.filter(
    (error) => !unions.includes(error) && !unions.some((union) => isInside(error, union)),
  );
  return [
    ...explain(plain, explainKeys, source),
    ...unions.flatMap((union) => {
      const chosen = chosenBranch(union);
      if (chosen === undefined) return [explainValue(union, source)];
      const branch = errors.filter((error) => error.schemaPath.startsWith(`${union.schemaPath}/${chosen}/`));
      return explain(branch, explainUnionKeys, source);
    }),
  ];
}

function explain(
  errors: readonly ErrorObject[],
  keys: (errors: readonly ErrorObject[]) => Finding[],
  source: (path: readonly string[]) => string,
): Finding[] {
  return [
    ...keys(errors.filter((error) => isAboutKeys(error))),
    ...errors.filter((error) => !isAboutKeys(error)).map((error) => explainValue(error, source)),
  ];
}

const isInside = (error: ErrorObject, union: ErrorObject): boolean =>
  error.schemaPath.startsWith(`${union.schemaPath}/`);

/** ajv complains about every branch of a union; the one that the user meant is the one of the same type. */
function chosenBranch({ data, schema }: ErrorObject): number | undefined {
  const type = isMapping(data) ? 'object' : typeof data;
  const index = (schema as { type: string }[]).findIndex((branch) => data !== null && branch.type === type);
  return index < 0 || Array.isArray(data) ? undefined : index;
}
