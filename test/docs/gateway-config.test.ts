import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseFile } from '#gateway/config/parse-file.ts';
import { GATEWAY_OPTIONS } from '#gateway/config/options.ts';
import { GATEWAY_FILE_SCHEMA } from '#gateway/config/schemas/file.ts';
import { ROOT } from '../helpers/paths.ts';
import { problems, read } from '../runtime/targets/gateway/config/read.ts';

const text = readFileSync(join(ROOT, 'docs/gateway-config.md'), 'utf8');

test('the example is valid', async () => {
  const [, example = ''] = /```yaml\n([^]*?)```/.exec(text) ?? [];
  const env = { GATEWAY_KEY: 'x'.repeat(40), MY_ANTHROPIC_KEY: 'k' };
  const config = await read(example, { env });
  expect(config.models.providers).toHaveLength(4);
  expect(config.warnings).toEqual([]);
});

test("the documented problems match the program's output", async () => {
  const broken = 'provider: {}\nmaster_key: ${GATEWAY_KEY}\naliases: {fast: openai:gpt-4o-mini}\n';
  const said = await problems(broken);
  expect(said).toHaveLength(3);
  for (const line of said) expect(text).toContain(`gateway.yml:${line}`);
});

test('every setting and every variable is documented', () => {
  const settings = Object.keys(GATEWAY_FILE_SCHEMA.properties);
  expect(settings.length).toBeGreaterThan(20);
  expect(settings.filter((name) => !text.includes(`\`${name}`) && !text.includes(`${name}.`))).toEqual([]);
  const variables = Object.values(GATEWAY_OPTIONS).map(({ env }) => env ?? '');
  const inTheFile = variables.filter((name) => !name.startsWith('GATEWAY_OTEL'));
  expect(inTheFile.filter((name) => !text.includes(name))).toEqual([]);
  expect(parseFile('', 'x', {}).findings).toEqual([]);
});
