import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { type Managed, openManager } from '../mcp/managed.ts';
import { serverSpec } from '../server-spec.ts';
import { CLIENT_PROGRAM } from './run-client.ts';

const folder = useTempFolder();
let managed: Managed;
beforeAll(async () => {
  managed = await openManager({ servers: [serverSpec('echo', 'echo')] });
});
afterAll(() => managed.close());

/** Uses a stand-in for npx, because the real one would download the inspector. */
const inspector = (npx: string | undefined, ...args: string[]) => {
  const bin = join(folder(), 'bin');
  mkdirSync(bin);
  if (npx !== undefined) writeFileSync(join(bin, 'npx'), `#!/bin/sh\n${npx}\n`, { mode: 0o755 });
  return execa(process.execPath, [CLIENT_PROGRAM, 'inspector', ...args, '--url', managed.origin], {
    env: { PATH: bin },
    reject: false,
  });
};

test('npx receives the URL of the endpoint', async () => {
  const { stdout, exitCode } = await inspector('echo "$@"', 'echo');
  expect(stdout).toContain(
    `@modelcontextprotocol/inspector@latest --transport http --server-url ${managed.origin}/mcp/echo`,
  );
  expect(exitCode).toBe(0);
});

test('without npx, the error names what to install', async () => {
  const { stderr, exitCode } = await inspector(undefined);
  expect(stderr).toContain('Cannot run npx. Install Node.js');
  expect(exitCode).toBe(1);
});

test('if npx fails, the error explains that npx downloads a package', async () => {
  const { stderr, exitCode } = await inspector('exit 7');
  expect(stderr).toContain('exit code 7');
  expect(stderr).toContain('so check that the npm registry is reachable');
  expect(exitCode).toBe(1);
});
