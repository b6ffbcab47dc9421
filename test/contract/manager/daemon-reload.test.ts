import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { isAlive } from '../../runtime/targets/manager/upstream/processes.ts';
import { verifiesOnce } from '../verifies.ts';
import { serversToml, TWO } from './config.ts';
import { useDaemons } from './daemon-process.ts';
import { pidOf, putLoad } from './load.ts';

const { start } = useDaemons();

verifiesOnce('daemon:reload-under-load', async () => {
  const api = await start({ config: TWO });
  const path = join(api.folder, '.mcpd.toml');
  const load = putLoad(api, 'one', 8);
  for (let round = 0; round < 20; round += 1) {
    // Every other reload replaces the called server by one with different arguments.
    const config = serversToml(
      { name: 'one', run: ['echo.mjs', String(round >> 1)] },
      { name: 'two', run: ['echo.mjs'] },
    );
    writeFileSync(`${path}.new`, config);
    renameSync(`${path}.new`, path);
    expect((await api.post('/api/v1/admin/reload', {})).status).toBe(200);
  }
  const answers = await load.stop();
  expect(answers.length).toBeGreaterThan(100);
  expect(answers.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([]);
});

verifiesOnce('daemon:reload-file', async () => {
  const api = await start({ config: TWO });
  const [one, two] = [await pidOf(api, 'one'), await pidOf(api, 'two')];
  writeFileSync(
    join(api.folder, '.mcpd.toml'),
    serversToml(
      { name: 'one', run: ['echo.mjs'] },
      { name: 'two', run: ['echo.mjs', 'changed'] },
      { name: 'three', run: ['echo.mjs'] },
    ),
  );
  await expect.poll(async () => (await api.get('/api/v1/servers')).body).toContain('three');
  await expect.poll(async () => pidOf(api, 'two')).not.toBe(two);
  expect(await pidOf(api, 'one')).toBe(one);
  await expect.poll(() => isAlive(two)).toBe(false);
});

verifiesOnce('daemon:reload-signal', async () => {
  const api = await start({ config: TWO }, ['--no-watch']);
  writeFileSync(join(api.folder, '.mcpd.toml'), serversToml({ name: 'one', run: ['echo.mjs'] }));
  api.child.kill('SIGHUP');
  await expect.poll(async () => (await api.get('/api/v1/servers')).body).toEqual(['one']);
});

verifiesOnce('daemon:reload-broken', async () => {
  const api = await start({ config: TWO }, ['--no-watch']);
  const before = [await pidOf(api, 'one'), await pidOf(api, 'two')];
  const broken = {
    'name = "one': '.mcpd.toml:1:',
    [serversToml({ name: 'one', run: ['exits-at-start.mjs'] })]: 'one',
    [serversToml({ name: 'one', run: ['echo.mjs'], env: { KEY: '${NOT_SET_ANYWHERE}' } })]:
      'NOT_SET_ANYWHERE',
  };
  for (const [config, named] of Object.entries(broken)) {
    writeFileSync(join(api.folder, '.mcpd.toml'), config);
    const { status, body } = await api.post('/api/v1/admin/reload', {});
    expect(status).toBeGreaterThanOrEqual(400);
    expect(body.detail).toContain(named);
    expect([await pidOf(api, 'one'), await pidOf(api, 'two')]).toEqual(before);
  }
});
