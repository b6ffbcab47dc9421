import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { schemaText } from '#gateway/config/schema-text.ts';
import { ROOT } from '#test/helpers/paths.ts';
import { read } from './read.ts';

test('the published schema is identical to the printed schema and can be used by another validator', async () => {
  const text = schemaText();
  expect(readFileSync(join(ROOT, 'docs/gateway.schema.json'), 'utf8')).toBe(text);
  const check = new Ajv2020({ strict: true, strictTypes: false }).compile(JSON.parse(text) as object);
  const good = {
    port: 1,
    providers: { openai: null },
    aliases: { a: ['openai:x', { model: 'openai:y', weight: 2 }] },
  };
  expect(check(good), JSON.stringify(check.errors)).toBe(true);
  expect((await read(good)).models.aliases).toHaveLength(1);
  expect(check({ port: 'x' })).toBe(false);
  expect(check({ prot: 1 })).toBe(false);
});
