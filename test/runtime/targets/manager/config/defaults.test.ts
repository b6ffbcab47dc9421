import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { durationText } from '#core/time/duration.ts';
import { MANAGER_DEFAULTS } from '#manager/config/defaults.ts';
import { ROOT } from '#test/helpers/paths.ts';
import { resolve } from './resolve.ts';

const PAGE = readFileSync(join(ROOT, 'docs/mcp-manager-config.md'), 'utf8');

const SERVER = '[[servers]]\nname = "a"\ncommand = "x"\ntools = ["*"]\nlazy = true\n';

test('a file with the documented [daemon] defaults resolves to the same settings as no file, except for CORS', () => {
  const [, block = ''] = /^## The manager\n\n```toml\n([^]*?)```/m.exec(PAGE) ?? [];
  const [documented, ours] = [block + SERVER, SERVER].map((servers) => resolve({ servers }));
  expect(documented?.daemon.cors).toMatchObject({ origins: ['https://app.example'] });
  expect({ ...documented?.daemon, cors: undefined }).toEqual({ ...ours?.daemon, cors: undefined });
  expect(documented?.servers).toEqual(ours?.servers);
});

test('the documented server defaults apply', () => {
  const { idle, concurrency, queue, install } = MANAGER_DEFAULTS;
  const explicit = `idle_timeout = "${durationText(idle)}"\nconcurrency = ${concurrency}\nqueue = ${queue}\n`;
  expect(resolve({ servers: SERVER + explicit }).servers).toEqual(resolve({ servers: SERVER }).servers);
  const rowOf = (key: string): string => new RegExp(`^\\| .*\`${key}\`.*$`, 'm').exec(PAGE)?.[0] ?? '';
  expect(rowOf('idle_timeout')).toContain(`(${durationText(idle)})`);
  expect(rowOf('concurrency')).toMatch(new RegExp(`\\(${concurrency}\\).*\\(${queue}\\)`));
  const manager = readFileSync(join(ROOT, 'docs/mcp-manager.md'), 'utf8').replaceAll(/\s+/g, ' ');
  expect(manager.includes(`\`timeout_install\` (${durationText(install)})`)).toBe(true);
});
