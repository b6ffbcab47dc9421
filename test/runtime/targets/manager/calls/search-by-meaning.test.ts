import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ANYONE, type ToolCaller } from '#manager/access/caller.ts';
import { openItemMeanings } from '#manager/calls/open-meanings.ts';
import { createSearch } from '#manager/calls/search.ts';
import { SEARCH_KINDS, type SearchKind } from '#manager/calls/search-kinds.ts';
import { keepEncoder, type KeptEncoder } from '#serve/encoder/keep-encoder.ts';
import { systemClock } from '#platform/clock.ts';
import { builtExecutable } from '#test/helpers/built.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { serverSpec } from '../server-spec.ts';
import { useManager } from '../use-manager.ts';

const manager = useManager();
const temp = useTempFolder();
let encoder: KeptEncoder<{ close(): Promise<void> }>;
beforeAll(() => {
  encoder = keepEncoder({
    name: 'static',
    path: builtExecutable('static'),
    clock: systemClock,
    random: () => 0,
    connect: () => ({ close: () => Promise.resolve() }),
    onLine: () => undefined,
  });
});
afterAll(() => encoder.close());

/** A server with tools and prompts of these names and descriptions. */
const serverWith = (name: string, tools: Readonly<Record<string, string>>) =>
  serverSpec(name, 'changing', {
    tools: { allow: Object.keys(tools), deny: [] },
    env: {
      LIST_CHANGED: '1',
      TOOLS: JSON.stringify(
        Object.entries(tools).map(([tool, description]) => ({
          name: tool,
          description,
          inputSchema: { type: 'object' },
        })),
      ),
    },
  });

// The model has a vector for each of these characters. Words search finds neither of two characters in the other
// order, although their vectors are equal.
const KANJI = { a: '日', b: '東', c: '人', d: '学', e: '文', f: '中', g: '語', h: '東京' };
const QUERY = '京東';

async function searching(servers: Parameters<typeof manager>[0], kind: SearchKind = SEARCH_KINDS.tools) {
  const { calls, supervisor, kernel } = manager(servers);
  const { url, apiKey } = await encoder.running();
  const meanings = openItemMeanings(
    { kind: 'url', url },
    {
      paths: { config: join(temp(), 'x.toml'), runtime: join(temp(), 'state', 'secrets.toml') },
      env: { MCP_MANAGER_SEARCH_ENCODER_KEY: apiKey },
      log: kernel.log,
      metrics: kernel.metrics,
      supervisor,
      calls,
      startDelayMs: 0,
    },
  );
  onTestFinished(() => meanings.close());
  const [byWords, byMeaning] = [createSearch(calls, kind), createSearch(calls, kind, meanings)];
  const find = async (search = byMeaning, caller: ToolCaller = ANYONE): Promise<unknown[]> => {
    const onFailure = (): void => undefined;
    const found = await search.search(caller, QUERY, 3, { requestId: 'test', onFailure });
    return found.map(({ server, item }) => `${server}/${String(item['name'])}`);
  };
  return { find, byWords, kernel, supervisor };
}

test('a tool is found by its meaning, although it contains no word of the query', async () => {
  const { find, byWords } = await searching([serverWith('one', KANJI)]);
  expect(await find(byWords)).toEqual([]);
  await expect.poll(() => find()).toContain('one/h');
  expect((await find())[0]).toBe('one/h');
});

test('the items of a server are encoded before the first search, and after announced changes', async () => {
  const { kernel, supervisor } = await searching([serverWith('one', KANJI)]);
  const vectors = async (): Promise<number> =>
    Number(/^mcp_search_vectors (\d+)$/m.exec(await kernel.metrics.metrics())?.[1]);
  // Two texts for each of 8 tools. The server's prompts have the same names without descriptions, so their texts are equal.
  await expect.poll(vectors).toBe(24);
  await supervisor.apply([serverWith('one', KANJI), serverWith('two', { x: '大' })]);
  await expect.poll(vectors).toBe(27);
});

test('prompts are found by meaning too', async () => {
  const { find } = await searching(
    [serverWith('one', { 東京: '', 日: '', 人: '', 学: '' })],
    SEARCH_KINDS.prompts,
  );
  await expect.poll(async () => (await find())[0]).toBe('one/東京');
});

test('items that a caller cannot use do not influence its results', async () => {
  const hidden = serverWith('hidden', { p: '東京', q: '京 東', r: '京', s: '東', t: '京東' });
  const visible = serverWith('one', KANJI);
  const narrow: ToolCaller = {
    name: 'narrow',
    admin: false,
    canUse: (server, tool) => server === 'one' && tool !== 'g',
    canRead: () => false,
  };
  const withHidden = await searching([visible, hidden]);
  await expect.poll(() => withHidden.find()).toContain('hidden/p');
  const found = await withHidden.find(undefined, narrow);
  expect(found.filter((name) => !String(name).startsWith('one/') || name === 'one/g')).toEqual([]);
  const { g: _unusable, ...usable } = KANJI;
  const alone = await searching([serverWith('one', usable)]);
  await expect.poll(() => alone.find()).toContain('one/h');
  expect(found).toEqual(await alone.find());
});
