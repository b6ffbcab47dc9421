import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { npxFolder } from '#manager/upstream/packages/npx-folder.ts';
import { startNpmRegistry } from '#test/helpers/npm-registry.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { workplace } from './workplace.ts';

const folder = useTempFolder();
let registry: Awaited<ReturnType<typeof startNpmRegistry>>;

/** A server with one tool. */
const SERVER = `#!/usr/bin/env node
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const results = {
    initialize: () => ({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'tiny', version: '1.0.0' },
    }),
    'tools/list': () => ({ tools: [{ name: 'now', inputSchema: { type: 'object' } }] }),
  };
  if (id === undefined) return;
  const answer = results[method]
    ? { result: results[method]() }
    : { error: { code: -32601, message: 'Method not found' } };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
});
`;

beforeEach(async () => {
  registry = await startNpmRegistry(folder(), [
    { name: 'tiny', version: '1.0.0', bin: { tiny: 'server.js' }, files: { 'server.js': SERVER } },
  ]);
  vi.stubEnv('HOME', folder());
  vi.stubEnv('XDG_CACHE_HOME', join(folder(), '.cache'));
  vi.stubEnv('npm_config_cache', join(folder(), 'npm'));
  vi.stubEnv('npm_config_registry', registry.url);
  vi.stubEnv('npm_config_update_notifier', 'false');
  vi.stubEnv('npm_config_fetch_retries', '0');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await registry.close();
});

const isThere = (version: string): boolean =>
  existsSync(join(npxFolder([`tiny@${version}`], join(folder(), 'npm')), 'package.json'));

test('add --install installs the package and shows progress, even if required values are missing', async () => {
  const { run } = workplace(folder());
  await run('init');
  const add = (name: string, ...args: string[]) => run('add', name, '--tool', '*', '--install', ...args);
  const added = await add('tiny', '--package', 'npx::tiny@1.0.0');
  expect(added).toMatchObject({
    code: 0,
    err: expect.stringMatching(
      /^Added tiny to \.mcpd\.toml\.\ninstalling npx::tiny@1\.0\.0\n(?:installing .*\n)*Installed npx::tiny@1\.0\.0\.\n$/,
    ),
  });
  expect(isThere('1.0.0')).toBe(true);
  // The second time, the package is already installed, so no progress is shown.
  expect((await add('again', '--package', 'npx::tiny@1.0.0', '--env', 'A=${NONE}')).err).toMatch(
    /^Added again to \.mcpd\.toml\.\nInstalled npx::tiny@1\.0\.0\.\n$/,
  );
  expect((await add('own', '--', 'node', 'x.js')).err).toBe(
    'Added own to .mcpd.toml.\nown has no package to install.\n',
  );
});

test('add --install reports the cause of a failure and keeps the server', async () => {
  const { run, read } = workplace(folder());
  await run('init');
  const { code, err } = await run('add', 'tiny', '--tool', '*', '--install', '--package', 'npx::tiny@9.9.9');
  expect(code).toBe(1);
  expect(err).toMatch(
    /\nError: npx::tiny@9\.9\.9 could not be installed \(code 1\)\. The installer wrote: npm error notarget No matching version found for tiny@9\.9\.9\.\n(?: {2}.*\n)* {2}npm error code ETARGET\n/,
  );
  expect(read('.mcpd.toml')).toContain('npx::tiny@9.9.9');
  expect(isThere('9.9.9')).toBe(false);
});

test('pin installs a package before the startup timeout begins', async () => {
  const { run, write, path } = workplace(folder());
  write(
    '.mcpd.toml',
    '[[servers]]\nname = "tiny"\npackage = "npx::tiny@1.0.0"\ntools = ["*"]\ntimeout_init = "10s"\n',
  );
  registry.hold('tiny-1.0.0.tgz');
  const pinned = run('pin');
  await registry.requested('tiny-1.0.0.tgz');
  // Longer than the startup timeout.
  await new Promise((resolve) => setTimeout(resolve, 11_000));
  registry.release('tiny-1.0.0.tgz');
  expect(await pinned).toMatchObject({
    code: 0,
    out: 'Pinned tiny: 1 tool: 1 new.\n',
    err: expect.stringMatching(/^installing npx::tiny@1\.0\.0\n/),
  });
  expect(readFileSync(path('.mcpd.pins.json'), 'utf8')).toContain('"now"');
}, 60_000);

test('pin reports the cause of a failed installation', async () => {
  const { run, write } = workplace(folder());
  write('.mcpd.toml', '[[servers]]\nname = "tiny"\npackage = "npx::tiny@9.9.9"\ntools = ["*"]\n');
  expect(await run('pin')).toMatchObject({
    code: 1,
    err: expect.stringContaining(
      'Error: tiny: npx::tiny@9.9.9 could not be installed (code 1). The installer wrote: npm error notarget No matching version found',
    ),
  });
});
