import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { builtExecutable } from '../../helpers/built.ts';
import { verifiesOnce } from '../verifies.ts';
import { writeFiles } from './arms.ts';
import { serversToml } from './config.ts';
import { type RunningDaemon, useDaemons } from './daemon-process.ts';

const { launch, startIn } = useDaemons();

// The fixture model has a vector for each of these characters, so that two of them have the same vector in any order. Words differ.
const DESCRIPTIONS = ['日', '人', '学', '文', '中', '語', '東京'];
const TOOLS = DESCRIPTIONS.map((description, at) => ({
  name: `tool_${at}`,
  description,
  inputSchema: { type: 'object' },
}));
const CONFIG = serversToml({
  name: 'changing',
  run: ['changing.mjs'],
  env: { TOOLS: JSON.stringify(TOOLS) },
  keys: `tools = ${JSON.stringify(TOOLS.map(({ name }) => name))}`,
});

async function found(api: RunningDaemon, query: string): Promise<string[]> {
  const { text } = await api.get(`/api/v1/tools?q=${encodeURIComponent(query)}`);
  return (JSON.parse(text) as { tools: { name: string }[] }).tools.map(({ name }) => name);
}

const metric = async (api: RunningDaemon, name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\d+)$`, 'm').exec((await api.get('/metrics')).text)?.[1]);

verifiesOnce('daemon:search-encoder', async () => {
  const folder = writeFiles({ config: CONFIG });
  const words = await startIn(folder);
  expect(await found(words, '京東')).toEqual([]);
  await words.stop();

  const encoder = builtExecutable('static');
  const first = await startIn(folder, ['--search-encoder', encoder]);
  await expect.poll(() => found(first, '京東'), { timeout: 20_000 }).toContain('tool_6');
  expect((await found(first, '京東'))[0]).toBe('tool_6');
  // Tools and prompts.
  await expect.poll(() => metric(first, 'mcp_search_vectors')).toBe(3 * TOOLS.length);
  await first.stop();
  const [file = ''] = readdirSync(join(folder, 'search-vectors'));
  expect(statSync(join(folder, 'search-vectors', file)).mode & 0o777).toBe(0o600);

  writeFileSync(
    join(folder, '.mcpd.toml'),
    `${CONFIG}\n[daemon.search]\nencoder = ${JSON.stringify(encoder)}\n`,
  );
  const second = await startIn(folder);
  await expect.poll(() => metric(second, 'mcp_search_vectors'), { timeout: 20_000 }).toBe(3 * TOOLS.length);
  expect((await found(second, '京東'))[0]).toBe('tool_6');
  await second.stop();

  const broken = await startIn(folder, ['--search-encoder', '/bin/false']);
  expect(await found(broken, 'tool_3')).toContain('tool_3');
  expect(await found(broken, '京東')).toEqual([]);
  await broken.said(/the search encoder failed, so searches only use words/);
  await broken.stop();

  const missing = launch(folder, ['--addr', '127.0.0.1:0', '--search-encoder', join(folder, 'none.encoder')]);
  await missing.said(/none\.encoder does not exist\. Set it to an \.encoder file/);
  expect(await missing.ended).not.toBe(0);
});
