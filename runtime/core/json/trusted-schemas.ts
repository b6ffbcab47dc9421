/**
 * ajv options for schemas that are part of a program. Without them, ajv first compiles the
 * meta-schema, which takes many times as long as our schemas; tests verify that ours are valid.
 */
export const TRUSTED_SCHEMAS = { meta: false, validateSchema: false } as const;
