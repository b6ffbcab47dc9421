import { RULE_KEYWORD } from '#core/yaml/explain-value.ts';
import { GATEWAY_FILE_SCHEMA } from './schemas/file.ts';
import { isObject } from '#core/json/is-object.ts';

/** Returns the JSON Schema of the configuration file, without internal keywords. */
export function schemaText(): string {
  const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...GATEWAY_FILE_SCHEMA };
  return `${JSON.stringify(schema, publish, 2)}\n`;
}

function publish(_key: string, node: unknown): unknown {
  if (!isObject(node)) return node;
  const { [RULE_KEYWORD]: _rule, nullable, ...known } = node;
  return nullable === true ? { anyOf: [known, { type: 'null' }] } : known;
}
