import { expect } from 'vitest';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import { MASTER_KEY } from './arms.ts';
import { useStoreFolder } from './command-folder.ts';
import { PROVIDER_KEY, providersFor } from './config.ts';
import { verifiesGatewayCommand } from './verifies.ts';

const openai = await startFixture('openai');
const folderOf = useStoreFolder();

verifiesGatewayCommand('gcli:providers', async (arm) => {
  const config = {
    providers: providersFor({ openai }),
    aliases: { old: 'openai:good' },
    master_key: MASTER_KEY,
  };
  const { done, json, run, refused, write } = folderOf(arm, config);
  await done('migrate');
  const keyFile = write('key', `${PROVIDER_KEY}\n`);
  const address = ['--type', 'openai-compatible', '--api-base', `${openai.url}/v1`];
  expect(await json('providers', 'create', 'Extra', ...address, '--api-key-file', keyFile)).toMatchObject({
    name: 'extra',
    status: 'active',
    secrets: ['api_key'],
  });
  const file = write('settings.yml', 'headers: {X-Team: "${HOME}"}\nmax_connections: 5\n');
  expect(await done('providers', 'update', 'extra', '--file', file, '--model', 'good')).toMatch(
    /^secrets +api_key, headers\.X-Team$/m,
  );
  expect(await done('providers', 'list')).toMatch(
    /^NAME +SOURCE +STATUS +TYPE .*\nextra +database +active +openai +http.*\nopenai +file +active +openai +http.* old$/m,
  );
  expect(await done('providers', 'test', 'extra')).toMatch(/^ok +provider extra: reachable, \d+ models?$/m);
  const weights = ['--target', 'extra:good=3', '--target', 'openai:good', '--fallback', 'extra:other'];
  expect(await json('aliases', 'create', 'fast', ...weights)).toMatchObject({
    targets: [
      { model: 'extra:good', weight: 3 },
      { model: 'openai:good', weight: 1 },
    ],
    fallbacks: ['extra:other'],
  });
  expect(await done('aliases', 'update', 'fast', '--strategy', 'cheapest', '--no-fallbacks')).toMatch(
    /^strategy +cheapest$/m,
  );
  expect(await done('aliases', 'list')).toMatch(
    /^fast +database +active +extra:good=3, openai:good +cheapest +-\nold +file +active +openai:good +weighted +-$/m,
  );
  expect(await refused(1, 'providers', 'delete', 'extra')).toContain('is used by the alias fast.');
  expect(await refused(2, 'aliases', 'create', 'none')).toContain('--target is required');
  // The warning about keys considers database entries.
  expect((await run('keys', 'create', '--model', 'fast', '--model', 'extra:*')).stderr).not.toContain(
    'Warning',
  );
  // A secret that is not set again must not be sent to a new address.
  const elsewhere = ['--api-base', 'http://127.0.0.1:9/v1', '--api-key-file', keyFile];
  expect(await refused(1, 'providers', 'update', 'extra', ...elsewhere)).toContain('Set `headers.X-Team`');
  expect(await json('providers', 'update', 'extra', ...elsewhere, '--clear', 'headers')).toMatchObject({
    secrets: ['api_key'],
    models: ['good'],
  });
  const failed = await run('providers', 'test', 'extra');
  expect([failed.exitCode, failed.stdout]).toEqual([
    1,
    expect.stringMatching(/^problem +provider extra: cannot be reached/),
  ]);
  expect(await done('aliases', 'delete', 'fast')).toBe('Deleted alias fast.\n');
  expect(await done('providers', 'delete', 'extra')).toBe('Deleted provider extra.\n');
  const audit = JSON.stringify(await json('audit'));
  expect(audit).toContain('"action":"provider.update"');
  expect(audit).not.toContain(PROVIDER_KEY);
});
