import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import { expect, onTestFinished, vi } from 'vitest';
import { npxFolder } from '#manager/upstream/packages/npx-folder.ts';
import { startNpmRegistry } from '../../helpers/npm-registry.ts';
import { useCommandFolder } from './command-folder.ts';
import { verifiesCommand } from './verifies.ts';

const folderOf = useCommandFolder();

verifiesCommand('mcli:add:install', async (arm) => {
  const { run, path, read } = folderOf(arm);
  const folder = dirname(path('x'));
  const registry = await startNpmRegistry(folder, [{ name: 'tiny', version: '1.0.0', files: {} }]);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await registry.close();
  });
  for (const [name, value] of [
    ['HOME', folder],
    ['XDG_CACHE_HOME', join(folder, '.cache')],
    ['npm_config_cache', join(folder, 'npm')],
    ['npm_config_registry', registry.url],
    ['npm_config_fetch_retries', '0'],
  ] as const) {
    vi.stubEnv(name, value);
  }
  await run('init');
  const add = (name: string, version: string) =>
    run('add', name, '--tool', '*', '--install', '--package', `npx::tiny@${version}`);
  expect(await add('good', '1.0.0')).toMatchObject({
    exitCode: 0,
    stdout: '',
    stderr: expect.stringMatching(/installing npx::tiny@1\.0\.0\n(?:.*\n)*Installed npx::tiny@1\.0\.0\.\n$/),
  });
  expect(existsSync(join(npxFolder(['tiny@1.0.0'], join(folder, 'npm')), 'package.json'))).toBe(true);
  expect(await add('bad', '2.0.0')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(
      'Error: npx::tiny@2.0.0 could not be installed (code 1). The installer wrote: npm error notarget No matching version found for tiny@2.0.0.',
    ),
  });
  expect(read('.mcpd.toml')).toContain('npx::tiny@2.0.0');
});

verifiesCommand('mcli:add:url-variables', async (arm) => {
  const { run, write, read, path } = folderOf(arm);
  await run('init');
  write(
    'registry.json',
    JSON.stringify({
      name: 'com.example/far',
      version: '1.0.0',
      remotes: [
        {
          type: 'streamable-http',
          url: 'https://{tenant}.example/{region}/mcp',
          variables: { tenant: { isRequired: true }, region: { default: 'eu' } },
        },
      ],
    }),
  );
  const add = (...args: string[]) =>
    run('add', 'far', '--registry', path('registry.json'), '--tool', '*', ...args);
  expect(await add()).toMatchObject({
    exitCode: 1,
    stderr:
      'Error: The URL of com.example/far has variables without a value: tenant. Pass --var tenant=<value>.\n',
  });
  expect(await add('--var', 'tenant=acme')).toMatchObject({ exitCode: 0 });
  expect(parse(read('.mcpd.toml'))['servers']).toEqual([
    { name: 'far', url: 'https://acme.example/eu/mcp', tools: ['*'] },
  ]);
});
