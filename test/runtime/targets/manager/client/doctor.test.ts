import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { type Managed, openManager } from '../mcp/managed.ts';
import { serverSpec } from '../server-spec.ts';
import { type Ran, runClient } from './run-client.ts';

const folder = useTempFolder();
let managed: Managed;
beforeAll(async () => {
  managed = await openManager({ servers: [serverSpec('echo', 'echo')] });
  await managed.running('echo');
});
afterAll(() => managed.close());

interface Files {
  readonly config?: string;
  readonly secrets?: string;
  readonly mode?: number;
  readonly addr?: string;
}

function examine({
  config = 'servers = []\n',
  secrets,
  mode = 0o600,
  addr = managed.origin,
}: Files = {}): Promise<Ran> {
  const [configFile, runtimeFile] = [join(folder(), '.mcpd.toml'), join(folder(), 'secrets.toml')];
  writeFileSync(configFile, config);
  if (secrets !== undefined) writeFileSync(runtimeFile, secrets);
  if (secrets !== undefined) chmodSync(runtimeFile, mode);
  return runClient('doctor', '--config-file', configFile, '--runtime-file', runtimeFile, '--url', addr);
}

const server = (name: string, command: string, more = ''): string =>
  `[[servers]]\nname = "${name}"\ncommand = ${JSON.stringify(command)}\ntools = ["*"]\n${more}\n`;

test('exits with code 0 if there are no problems', async () => {
  const { code, out } = await examine({ config: server('here', process.execPath) });
  expect(out).toMatch(/^ok +configuration: 1 server in /m);
  expect(out).toMatch(/^ok +server here: runs \//m);
  expect(out).toMatch(/^ok +manager: version 1\.2\.3 is running at http/m);
  expect(out).toMatch(/^(ok|note) +server echo: /m);
  expect(code).toBe(0);
});

test('an invalid configuration is reported as a problem', async () => {
  const { code, out } = await examine({ config: 'servers = [' });
  expect(out).toMatch(/^problem +configuration: .*invalid TOML/m);
  expect(code).toBe(1);
});

test('secrets that other users can read are reported as a problem', async () => {
  const { code, out } = await examine({ secrets: '[servers.x.env]\nA = "b"\n', mode: 0o644 });
  expect(out).toMatch(/^problem +configuration: .*is readable by other users/m);
  expect(code).toBe(1);
});

test('missing commands and folders are reported as problems with a fix', async () => {
  const config =
    server('gone', 'no-such-command') + server('lost', process.execPath, 'cwd = "/no/such/folder"');
  const { code, out } = await examine({ config });
  expect(out).toMatch(
    /^problem +server gone: command "no-such-command" not found in the server's PATH\n +Install it/m,
  );
  expect(out).toMatch(
    /^problem +server lost: working directory \/no\/such\/folder does not exist\n +Create it/m,
  );
  expect(code).toBe(1);
});

test('a package runner that cannot print its version is reported as a problem', async () => {
  const bin = join(folder(), 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'docker'), '#!/bin/sh\necho "Cannot connect to the Docker daemon." >&2\nexit 1\n', {
    mode: 0o755,
  });
  writeFileSync(join(bin, 'uvx'), '#!/bin/sh\necho "uvx 1.2.3"\n', { mode: 0o755 });
  const config = server('boxed', join(bin, 'docker')) + server('python', join(bin, 'uvx'));
  const { code, out } = await examine({ config });
  expect(out).toMatch(
    /^problem +docker: cannot print its version: Cannot connect.*\n +Install Docker and start it/m,
  );
  expect(out).toMatch(/^ok +uvx: version uvx 1\.2\.3/m);
  expect(code).toBe(1);
});

test('a manager that is not running is reported as a problem, together with whether its port is free', async () => {
  const free = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => free.once('listening', resolve));
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  const { code, out } = await examine({ addr: `127.0.0.1:${port}` });
  expect(out).toMatch(/^problem +manager: No manager is running at .*mcp-manager daemon/m);
  expect(out).toMatch(/^ok +port: http:\/\/127\.0\.0\.1:\d+ is available/m);
  expect(code).toBe(1);
});

test('a server that is not running is reported as a problem with a reason', async () => {
  const other = await openManager({ servers: [serverSpec('broken', 'exits-at-start')] });
  await expect(other.running('broken')).rejects.toThrow('no license file found');
  const { code, out } = await examine({ addr: other.origin });
  expect(out).toMatch(
    /^problem +server broken: is unreachable \((?:waiting|starting)\): .*no license file found\n +loading\n +no license file found\n +See `mcp-manager logs broken`/m,
  );
  expect(code).toBe(1);
  await other.close();
});
