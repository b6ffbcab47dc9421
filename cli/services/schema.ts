import { CONFIG_SCHEMA } from '#contract/config-schema.ts';

/**
 * Returns the JSON Schema of the build configuration as text, with the same content as
 * docs/config.schema.json.
 */
export const configSchemaText = (): string => JSON.stringify(CONFIG_SCHEMA, undefined, 2);
