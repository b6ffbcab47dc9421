import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isObject } from '#core/json/is-object.ts';
import { CONFIG_SCHEMA } from '#contract/config-schema.ts';
import { ROOT } from '../helpers/paths.ts';

const PAGE = readFileSync(join(ROOT, 'docs/config.md'), 'utf8');

/** The schema keys with a default value, which the validator fills in. */
function* defaultsIn(schema: unknown, key = ''): Generator<[key: string, value: unknown]> {
  if (!isObject(schema)) return;
  if ('default' in schema && !isObject(schema['default'])) yield [key, schema['default']];
  if (isObject(schema['properties']))
    for (const [name, member] of Object.entries(schema['properties'])) yield* defaultsIn(member, name);
}

const defaults = [...defaultsIn(CONFIG_SCHEMA)];

test.each(defaults)('the build configuration page documents the default of %s: %j', (key, value) => {
  expect(defaults.length).toBeGreaterThan(8);
  const text = Array.isArray(value) ? JSON.stringify(value) : String(value);
  // A table row, or a line in the example with all limits.
  const lines = PAGE.split('\n').filter(
    (line) =>
      line.trim().startsWith(`${key}: `) ||
      (line.startsWith('|') && line.split('|')[1]?.includes(`\`${key}\``)),
  );
  expect(lines.some((line) => line.includes(`\`${text}\``) || line.includes(`${key}: ${text}`))).toBe(true);
});
