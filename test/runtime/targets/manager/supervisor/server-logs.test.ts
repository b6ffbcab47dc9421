import { expect, test } from 'vitest';
import type { LogLine } from '#manager/supervisor/managed-server.ts';
import { levelOf } from '#manager/supervisor/log-level.ts';
import { LogRing } from '#manager/supervisor/log-ring.ts';
import { handClock } from '#test/helpers/hand-clock.ts';
import { serverSpec } from '../server-spec.ts';
import { callOf, useManager } from '../use-manager.ts';

const start = useManager();
const NOISE = 'noise '.repeat(13);
const line = (text: string): LogLine => ({ at: 1, source: 'server', text });

test('the last thousand lines are kept, up to a total size', () => {
  const ring = new LogRing();
  for (let number = 1; number <= 5000; number += 1) ring.add(line(String(number)));
  expect(ring.last(Infinity)).toHaveLength(1000);
  expect(ring.last(2).map(({ text }) => text)).toEqual(['4999', '5000']);
  expect(ring.last(0)).toEqual([]);
  for (const letter of 'abc') ring.add(line(letter.repeat(100_000)));
  expect(ring.last(Infinity).map(({ text }) => text[0])).toEqual(['b', 'c']);
  ring.add(line('d'.repeat(1_000_000)));
  expect(ring.last(Infinity).map(({ text }) => text[0])).toEqual(['d']);
});

test.each([
  ['ERROR:root:it broke', 'error'],
  ['warning:app.db:slow', 'warn'],
  ['CRITICAL:x:', 'error'],
  ['DEBUG:a:b:c', 'debug'],
  ['error: no such file', 'info'],
  ['listening on 8080', 'info'],
])('%s has level %s', (text, level) => {
  expect(levelOf(text)).toBe(level);
});

test('a server that floods stderr keeps responding, and its last output is kept and logged', async () => {
  const manager = start([serverSpec('flood', 'stderr-flood')]);
  for (let call = 0; call < 4; call += 1) {
    const result = await manager.calls.callTool({
      ...callOf('flood'),
      tool: 'flood',
      args: { bytes: 500_000 },
    });
    expect(result.content).toEqual([{ type: 'text', text: '500000' }]);
  }
  const last = manager.server('flood').logs.last(10);
  expect(last).toHaveLength(10);
  expect(last).toContainEqual({ at: expect.any(Number), source: 'server', text: NOISE });
  expect(manager.kernel.logged).toContainEqual(
    expect.objectContaining({ level: 30, server: 'flood', source: 'server', msg: NOISE }),
  );
});

test('a flood is partly logged with the number of dropped lines, and the last lines are kept', async () => {
  const manager = start([serverSpec('flood', 'stderr-flood')], { clock: handClock() });
  await manager.calls.callTool({ ...callOf('flood'), tool: 'flood', args: { bytes: 5_000_000 } });
  // The server writes this line after the flood.
  await Promise.all([
    manager.logged('flood', /x{8000}$/),
    manager.calls.callTool({ ...callOf('flood'), tool: 'long-line', args: { bytes: 10_000 } }),
  ]);
  await manager.supervisor.apply([]);
  const reported = () => manager.kernel.logged.find(({ dropped }) => dropped !== undefined);
  await expect.poll(() => reported()).toBeDefined();
  const logged = manager.kernel.logged.filter(({ source }) => source === 'server');
  expect(logged).toHaveLength(1000);
  const lines = Math.ceil((1_048_576 + 5_000_000) / (NOISE.length + 1));
  expect(reported()).toMatchObject({
    level: 40,
    server: 'flood',
    msg: expect.stringMatching(
      /^\d+ lines from the server were dropped from this log: the limit is 1000 lines and 256 KiB per 10 s$/,
    ),
  });
  expect(Number(reported()?.['dropped'])).toBeGreaterThan(lines - 1000);
});

test('no line contains secrets, including lines dropped from the log', async () => {
  const manager = start([serverSpec('flood', 'stderr-flood')], {
    clock: handClock(),
    secrets: ['noise noise'],
  });
  const seen: string[] = [];
  await manager.server('flood').connection({ timeoutMs: 20_000 });
  manager.server('flood').logs.follow(({ text }) => seen.push(text));
  await manager.calls.callTool({ ...callOf('flood'), tool: 'flood', args: { bytes: 200_000 } });
  const texts = manager
    .server('flood')
    .logs.last(Infinity)
    .map(({ text }) => text);
  expect([...texts, ...seen].filter((text) => text.includes('noise noise'))).toEqual([]);
  expect(texts).toContain(`${'[redacted] '.repeat(6)}noise `);
});

test('lines can be followed until the last client stops following', async () => {
  const manager = start([serverSpec('echo', 'echo')]);
  const seen: string[] = [];
  const forget = manager.server('echo').logs.follow(({ text }) => seen.push(text));
  const write = (text: string) => manager.calls.callTool({ ...callOf('echo'), tool: 'log', args: { text } });
  await Promise.all([write('ERROR:db:first'), manager.logged('echo', /first/)]);
  forget();
  await Promise.all([write('second'), manager.logged('echo', /second/)]);
  expect(seen.filter((text) => !text.startsWith('started'))).toEqual(['ERROR:db:first']);
  expect(manager.kernel.logged).toContainEqual(
    expect.objectContaining({ level: 50, server: 'echo', msg: 'ERROR:db:first' }),
  );
});
