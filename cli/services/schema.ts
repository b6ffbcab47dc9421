import { CONFIG_SCHEMA } from '../../runtime/contract/config-schema.ts';

/** The JSON Schema of the build configuration, as text; docs/config.schema.json holds the same. */
export const schemaText = (): string => JSON.stringify(CONFIG_SCHEMA, undefined, 2);
