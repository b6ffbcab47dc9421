import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { useStoreFolder } from './command-folder.ts';
import { verifiesGatewayCommand } from './verifies.ts';

const folderOf = useStoreFolder();

verifiesGatewayCommand('gcli:pricing:published', async (arm) => {
  const { done, json, write, refused } = folderOf(arm, {
    providers: {
      openai: {},
      prod: { type: 'openai', api_base: 'http://127.0.0.1:9', priced_as: 'openai' },
      own: OWN,
    },
  });
  await done('migrate');
  expect(await done('pricing', 'show', 'openai:gpt-4o-2024-08-06')).toMatch(
    /^MODEL +INPUT PER 1M .*\nopenai:gpt-4o-2024-08-06 +\$2\.50 +\$1\.25 +- +- +\$10\.00.*\nin batches +\$1\.25 .*\nPublished price as of 2026-11-26, from litellm .*\n$/,
  );
  const published = { priced_by: 'map 2026-11-26 openai:gpt-4o', input: 2.5, output: 10, cached_input: 1.25 };
  expect(await json('pricing', 'show', 'prod:GPT-4o-latest')).toMatchObject(published);
  expect(await refused(1, 'pricing', 'show', 'own:gpt-4o')).toContain('There is no price for "own:gpt-4o".');
  await done('pricing', 'set', 'openai:gpt-4o', '--input', '1', '--output', '2');
  expect(await json('pricing', 'show', 'openai:gpt-4o')).toMatchObject({
    priced_by: 'own',
    input_price_per_million: 1,
  });
  expect((await json('pricing', 'search', 'GPT-4o-mini')).length).toBeGreaterThan(3);

  const map = (date: string) => ({
    format: 'encoderfile-prices-1',
    date,
    source: 'ours',
    models: { openai: { 'gpt-4o': { input: 7, output: 8 }, new: { input: 1, output: 1 } } },
  });
  const said = await done(
    'pricing',
    'update',
    '--from',
    write('map.json', JSON.stringify(map('2999-01-01'))),
  );
  expect(said).toMatch(
    /^Using prices as of 2999-01-01 for 2 models: 1 new, 1 changed, \d+ removed\. Source: ours\.\n$/,
  );
  expect(await json('pricing', 'show', 'prod:gpt-4o')).toMatchObject({
    priced_by: 'map 2999-01-01 openai:gpt-4o',
    input: 7,
  });

  const bad = write(
    'bad.json',
    JSON.stringify({ ...map('2999-01-02'), models: { openai: { a: { input: -1 } } } }),
  );
  expect(await refused(1, 'pricing', 'update', '--from', bad)).toContain('bad.json is not a price map: ');
  expect(await refused(1, 'pricing', 'update', '--from', 'none.json')).toContain('no such file: none.json');
  const served = createServer(({ url }, response) => {
    const entry = { litellm_provider: 'openai', input_cost_per_token: 3e-6, output_cost_per_token: 4e-6 };
    if (url === '/map?x=1') response.end(JSON.stringify({ 'gpt-4o': entry }));
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  try {
    await once(served, 'listening');
    const { port } = served.address() as AddressInfo;
    const from = `http://127.0.0.1:${port}/map`;
    expect(await refused(1, 'pricing', 'update', '--from', from)).toContain(`${from} returned status 404`);
    expect(await json('pricing', 'show', 'prod:gpt-4o')).toMatchObject({ input: 7 });
    expect(await json('pricing', 'update', '--from', `${from}?x=1`)).toMatchObject({
      models: 1,
      added: 0,
      changed: 1,
      removed: 1,
    });
    expect(await json('pricing', 'show', 'prod:gpt-4o')).toMatchObject({ input: 3, source: `${from}?x=1` });
  } finally {
    served.close();
  }
  expect(await done('pricing', 'update', '--bundled')).toMatch(
    /^Using prices as of 2026-11-26 for \d{4} models: /,
  );
  expect(await json('pricing', 'show', 'prod:gpt-4o')).toMatchObject(published);
  expect(await refused(2, 'pricing', 'update', '--bundled', '--from', 'map.json')).toContain(
    '--bundled conflicts with --from',
  );
});

const OWN = { type: 'openai', api_base: 'http://127.0.0.1:9' };
