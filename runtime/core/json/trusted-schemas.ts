/**
 * Options of ajv for schemas that are part of a program. Without them, ajv first compiles the schema of schemas, which takes many times as
 * long as ours; tests verify that ours are valid.
 */
export const TRUSTED_SCHEMAS = { meta: false, validateSchema: false } as const;
