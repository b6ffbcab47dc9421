import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ANYONE } from '#manager/access/caller.ts';
import { type AuditArguments, type AuditFailure, openAuditLog } from '#manager/calls/audit.ts';
import { createRedactor } from '#serve/redact.ts';
import { namedSecrets } from '#test/helpers/secrets.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { testKernel } from '#test/helpers/test-kernel.ts';
import { serverSpec } from '../server-spec.ts';
import { callOf, useManager } from '../use-manager.ts';

const folder = useTempFolder();
const start = useManager();
const SECRET = 'c4nary-secret';
const linesOf = (path: string): Record<string, unknown>[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

function openAudit(args: AuditArguments, failure?: AuditFailure, path = join(folder(), 'audit.jsonl')) {
  const kernel = testKernel();
  const redact = createRedactor(namedSecrets(SECRET));
  return openAuditLog({ path, arguments: args, failure, redact, log: kernel.log, metrics: kernel.metrics });
}

test('every call writes a line with its caller, tool, result and duration', async () => {
  const audit = await openAudit('hashed');
  const { calls } = start([serverSpec('echo', 'echo')], { audit, secrets: [SECRET] });
  const caller = { ...ANYONE, name: 'ada' };
  const call = callOf('Echo', { caller, requestId: 'r-1' });
  await calls.callTool({ ...call, tool: 'ECHO', args: { message: SECRET } });
  await calls.callTool({ ...call, tool: 'is-error', args: {} });
  await calls.getPrompt({ ...call, prompt: 'greet', args: { name: 'x' } });
  await calls.readResource({ ...call, uri: 'memo://one' });
  await calls.listTools(call);
  await Promise.allSettled([
    calls.callTool({ ...call, tool: SECRET, args: {} }),
    calls.callTool({ ...call, server: 'nobody', tool: 'echo', args: {} }),
  ]);
  await audit.close();

  const path = join(folder(), 'audit.jsonl');
  const lines = linesOf(path);
  const hash = createHash('sha256').update(`{"message":"${SECRET}"}`).digest('hex');
  expect(lines[0]).toEqual({
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    requestId: 'r-1',
    caller: 'ada',
    server: 'echo',
    kind: 'tool',
    name: 'ECHO',
    outcome: 'ok',
    ms: expect.any(Number),
    args: `sha256:${hash}`,
    resultCharacters: expect.any(Number),
  });
  expect(lines.slice(1).map(({ server, kind, name, outcome }) => [server, kind, name, outcome])).toEqual([
    ['echo', 'tool', 'is-error', 'tool-error'],
    ['echo', 'prompt', 'greet', 'ok'],
    ['echo', 'resource', 'memo://one', 'ok'],
    ['nobody', 'tool', 'echo', 'NotFoundError'],
    ['echo', 'tool', '[redacted]', 'NotFoundError'],
  ]);
  expect(readFileSync(path, 'utf8')).not.toContain(SECRET);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('arguments can be logged without their secrets', async () => {
  const audit = await openAudit('redacted');
  const { calls } = start([serverSpec('echo', 'echo')], { audit });
  const args = { message: `key ${SECRET}`, list: [1, { deep: SECRET }] };
  await calls.callTool({ ...callOf('echo'), tool: 'echo', args });
  await audit.close();
  const [line] = linesOf(join(folder(), 'audit.jsonl'));
  expect(line?.['args']).toEqual({ message: 'key [redacted]', list: [1, { deep: '[redacted]' }] });
});

test('after the file was moved, new lines are written to a new file', async () => {
  const audit = await openAudit('hashed');
  const { calls } = start([serverSpec('echo', 'echo')], { audit });
  const echo = (message: string) =>
    calls.callTool({ ...callOf('echo', { requestId: message }), tool: 'echo', args: { message } });
  await echo('first');
  const path = join(folder(), 'audit.jsonl');
  renameSync(path, `${path}.1`);
  await echo('second');
  audit.reopen();
  await echo('third');
  await audit.close();
  const idsIn = (file: string): unknown[] => linesOf(file).map(({ requestId }) => requestId);
  expect([...idsIn(`${path}.1`), ...idsIn(path)]).toEqual(['first', 'second', 'third']);
  expect(idsIn(path)).toContain('third');
});

const echo = { ...callOf('echo'), tool: 'echo', args: { message: 'hello' } };

test.skipIf(process.platform !== 'linux')(
  'on a full disk, calls continue by default, and those missing in the log are counted',
  async () => {
    const audit = await openAudit('hashed', undefined, '/dev/full');
    const { calls } = start([serverSpec('echo', 'echo')], { audit });
    for (let count = 0; count < 3; count += 1) {
      await calls.callTool(echo);
      await expect.poll(audit.problem).toContain('ENOSPC');
    }
    await audit.close();
    expect(audit.lost()).toBe(3);
  },
);

test.skipIf(process.platform !== 'linux')(
  'with `reject`, no call starts while the line of an earlier call is not written',
  async () => {
    const path = join(folder(), 'audit.jsonl');
    symlinkSync('/dev/full', path);
    const audit = await openAudit('hashed', 'reject');
    const { calls } = start([serverSpec('echo', 'echo')], { audit });
    await calls.callTool(echo);
    await expect.poll(audit.problem).toContain('ENOSPC');
    const refused = { code: 'UnavailableError', retryAfterSeconds: 10 };
    await expect(calls.callTool(echo)).rejects.toMatchObject(refused);
    await expect(calls.getPrompt({ ...echo, prompt: 'greet', args: {} })).rejects.toMatchObject(refused);
    await expect(calls.readResource({ ...echo, uri: 'memo://one' })).rejects.toThrow(
      /^calls are rejected, because the audit log cannot be written: ENOSPC: .*; retry in 10 s$/,
    );
    // Lists are not audited.
    expect(await calls.listTools(echo)).not.toEqual([]);

    rmSync(path);
    audit.reopen();
    await expect.poll(audit.problem).toBeUndefined();
    await calls.callTool(echo);
    await audit.close();
    expect(linesOf(path)).toHaveLength(2);
    expect(audit.lost()).toBe(0);
  },
);
