import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import type { ProcessLaunch } from '#manager/config/spec.ts';
import { openConnection } from '#manager/upstream/open-connection.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { openFixture, openRecorded } from './open-recorded.ts';
import { children, childrenSince } from './processes.ts';
import { launchOf, specOf } from './spec.ts';

const tempFolder = useTempFolder();
const IGNORED = { onLog: () => undefined, onNotification: () => undefined };

async function failureOf(launch: ProcessLaunch, signal?: AbortSignal, init?: number): Promise<Error> {
  const spec = specOf(launch, init === undefined ? {} : { init });
  return openConnection(spec, IGNORED, signal).then(
    () => expect.fail('It should not have started.'),
    (error: Error) => error,
  );
}

test('a server reports its name', async () => {
  const { connection } = await openFixture('echo.mjs', { SERVER_NAME: 'parrot' });
  expect(connection.peer).toMatchObject({
    protocolVersion: '2025-11-25',
    name: 'parrot',
    version: '1.2.3',
    instructions: 'Call the tools of echo.',
    capabilities: { tools: { listChanged: true } },
  });
  expect(connection.pid).toBeGreaterThan(0);
});

test('a child process receives only the given environment', async () => {
  process.env['MCPD__OTHER__SECRET'] = 'hush';
  try {
    const { text } = await openFixture('echo.mjs', { ONLY: 'this' });
    expect(JSON.parse(await text('env'))).toEqual({ ONLY: 'this' });
  } finally {
    delete process.env['MCPD__OTHER__SECRET'];
  }
});

test('any command runs with unchanged arguments in its folder', async () => {
  const launch = launchOf('echo.mjs');
  const args = [...launch.args, '$HOME', 'two words', '', '"quoted"; exit'];
  const { text } = await openRecorded(specOf({ ...launch, args, cwd: tempFolder() }));
  const found = JSON.parse(await text('process')) as { cwd: string; args: string[] };
  expect(found.args).toEqual(args.slice(1));
  expect(found.cwd).toBe(tempFolder());
});

test('a program that cannot be started is reported in one sentence', async () => {
  const launch = launchOf('echo.mjs');
  const script = join(tempFolder(), 'script');
  writeFileSync(script, '#!/bin/sh\n');
  chmodSync(script, 0o644);
  const gone = join(tempFolder(), 'gone');

  expect((await failureOf({ ...launch, command: 'no-such-command', env: { PATH: '/bin' } })).message).toBe(
    'The command `no-such-command` was not found; the PATH of the server is `/bin`. Install it, or configure its absolute path.',
  );
  expect((await failureOf({ ...launch, command: gone })).message).toBe(
    `The program \`${gone}\` does not exist. Correct \`command\`.`,
  );
  expect((await failureOf({ ...launch, command: script })).message).toBe(
    `\`${script}\` is not executable. Run \`chmod +x ${script}\`.`,
  );
  expect((await failureOf({ ...launch, cwd: gone })).message).toBe(
    `The working directory \`${gone}\` does not exist. Create it, or correct \`cwd\`.`,
  );
  expect(await failureOf({ ...launch, args: ['a\0b'] })).toBeInstanceOf(AppError);
});

test('a server that exits during startup is reported with its exit code and last line', async () => {
  const failure = await failureOf(launchOf('exits-at-start.mjs'));
  expect(failure).toMatchObject({ name: 'AppError', code: 'UpstreamError' });
  expect(failure.message).toBe('The server exited with code 3. It wrote: no license file found');
});

test('a server that does not respond during startup is terminated', async () => {
  const before = children();
  const failure = await failureOf(launchOf('silent.mjs'), undefined, 300);
  expect(failure).toMatchObject({ code: 'TimeoutError' });
  expect(failure.message).toMatch(/did not start within 300 ms/);
  expect(childrenSince(before)).toEqual([]);
});

test('the start of a server can be canceled', async () => {
  const before = children();
  const abort = new AbortController();
  const opening = openConnection(
    specOf(launchOf('slow-init.mjs')),
    { ...IGNORED, onLog: (line) => line === 'waiting' && abort.abort(new Error('changed my mind')) },
    abort.signal,
  );
  await expect(opening).rejects.toThrow('changed my mind');
  expect(childrenSince(before)).toEqual([]);
  await expect(openConnection(specOf(launchOf('echo.mjs')), IGNORED, abort.signal)).rejects.toThrow(
    'changed',
  );
});

test('a server that takes a while to become ready is started', async () => {
  const file = join(tempFolder(), 'go');
  const opening = openConnection(specOf(launchOf('slow-init.mjs', { WAIT_FOR: file })), {
    ...IGNORED,
    onLog: (line) => line === 'waiting' && writeFileSync(file, ''),
  });
  const connection = await opening;
  expect(connection.peer.name).toBe('slow-init');
  await connection.close();
});
