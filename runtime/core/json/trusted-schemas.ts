/**
 * ajv options for the schemas of the programs themselves, which are not validated at run time: for
 * this, ajv would compile the meta-schema, which takes many times as long as compiling our schemas.
 * Tests verify that our schemas are valid.
 */
export const TRUSTED_SCHEMAS = { meta: false, validateSchema: false } as const;
