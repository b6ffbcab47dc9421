import { CONFIG_SCHEMA } from '#contract/config-schema.ts';

/** The JSON Schema of the build configuration as text, identical to docs/config.schema.json. */
export const configSchemaText = (): string => JSON.stringify(CONFIG_SCHEMA, undefined, 2);
