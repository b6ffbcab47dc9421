import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parse } from 'smol-toml';
import { expect, test, vi } from 'vitest';
import { openConnection } from '#manager/upstream/open-connection.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { workplace } from '../commands/workplace.ts';
import { serverSpec } from '../server-spec.ts';

const folder = useTempFolder();
const HASH = `sha512-${'a'.repeat(86)}==`;

/** A stand-in for `npm` in its own folder, which prints this for `npm view`. */
function fakeNpm(output: string, code = 0): string {
  const path = join(folder(), 'npm');
  writeFileSync(
    path,
    `#!/bin/sh\nprintf '%s' "$*" > "${folder()}/asked"\nprintf '%s' '${output}'\nexit ${code}\n`,
  );
  chmodSync(path, 0o755);
  return [folder(), process.env['PATH'] ?? ''].join(delimiter);
}

test.skipIf(process.platform === 'win32')(
  'a package whose hash differs from the pinned hash is not started',
  async () => {
    const started = join(folder(), 'started');
    const open = (output: string, code?: number) => {
      const spec = serverSpec('echo', 'echo', { env: { PATH: fakeNpm(output, code) } });
      const integrity = { name: '@acme/x@1.2.3', hash: HASH };
      const launch = { ...spec.launch, integrity } as typeof spec.launch;
      return openConnection({ ...spec, launch }, { onNotification: () => undefined, onLog: () => undefined });
    };
    const connection = await open(`"${HASH}"`);
    await connection.close();
    await expect(open('"sha512-other"')).rejects.toThrow(
      `The package @acme/x@1.2.3 has the hash sha512-other, not the pinned ${HASH}. Find out why before you change package_hash.`,
    );
    await expect(open('["sha512-a", "sha512-b"]')).rejects.toThrow('Use an exact version.');
    await expect(open('', 1)).rejects.toThrow(
      'Cannot read the hash of @acme/x@1.2.3: Command failed: npm view',
    );
    expect(existsSync(started)).toBe(false);
  },
);

test.skipIf(process.platform === 'win32')('add --pin-hash stores the hash of the added version', async () => {
  const { run, read, path } = workplace(folder());
  vi.stubEnv('PATH', fakeNpm(`"${HASH}"`));
  await run('init');
  expect((await run('add', 'memory', '--pin-hash')).code).toBe(0);
  expect(read('asked')).toBe('view @modelcontextprotocol/server-memory@2026.8.31 dist.integrity --json');
  expect(parse(read('.mcpd.toml'))['servers']).toMatchObject([{ name: 'memory', package_hash: HASH }]);
  expect((await run('validate')).out).toContain('is valid: 1 server.');
  expect((await run('add', 'time', '--pin-hash')).err).toContain('--pin-hash requires an npx package.');
  expect(existsSync(path('asked'))).toBe(true);
  vi.unstubAllEnvs();
});
