import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type LogSink, runServer, type RunServerOptions } from '#serve/program/run-server.ts';
import { testKernel } from '../../../helpers/test-kernel.ts';

const printed: string[] = [];

beforeEach(() => {
  printed.length = 0;
  vi.spyOn(process.stderr, 'write').mockImplementation((text, ...rest) => {
    printed.push(String(text));
    const done = rest.find((value) => typeof value === 'function');
    done?.();
    return true;
  });
});
afterEach(() => vi.restoreAllMocks());

function running(
  more: Partial<Awaited<ReturnType<RunServerOptions['start']>>> = {},
  options: Partial<RunServerOptions> = {},
) {
  const kernel = testKernel();
  const events: string[] = [];
  const code = runServer({
    reloads: true,
    start: () =>
      Promise.resolve({
        log: kernel.log,
        banner: 'Serving.\n',
        facts: { url: 'http://127.0.0.1:1' },
        watchdog: { timeoutMs: 0, requests: () => 0 },
        stop: () => Promise.resolve(void events.push('stopped')),
        ...more,
      }),
    ...options,
  });
  const messages = (): unknown[] => kernel.logged.map(({ msg }) => msg);
  return {
    code,
    events,
    messages,
    logged: kernel.logged,
    serving: () => expect.poll(messages).toContain('serving'),
  };
}

test('the server prints a banner, logs facts and warnings, and exits with code 0 on a signal', async () => {
  const { code, events, messages, logged, serving } = running({ warnings: ['Open to all.'] });
  await serving();
  process.emit('SIGTERM', 'SIGTERM');
  expect(await code).toBe(0);
  expect(printed.join('')).toContain('Serving.');
  expect(logged[0]).toMatchObject({ url: 'http://127.0.0.1:1', msg: 'serving' });
  expect(messages()).toEqual(['serving', 'Open to all.', 'stopping: finishing accepted requests', 'stopped']);
  expect(events).toEqual(['stopped']);
});

test('if the server fails, it is stopped, and the exit code is 1', async () => {
  const { code, events, messages } = running({ failed: Promise.resolve('the model is gone') });
  expect(await code).toBe(1);
  expect(messages()).toEqual(['serving', 'stopping: the model is gone', 'stopped']);
  expect(events).toEqual(['stopped']);
});

test('SIGHUP reopens the log and reloads the configuration', async () => {
  const events: string[] = [];
  const sink: LogSink = {
    write: () => undefined,
    reopen: () => void events.push('reopened'),
    close: () => Promise.resolve(void events.push('closed')),
  };
  const { code, serving } = running(
    { reload: () => void events.push('reloaded') },
    { openLog: () => Promise.resolve(sink) },
  );
  await serving();
  process.emit('SIGHUP', 'SIGHUP');
  process.emit('SIGTERM', 'SIGTERM');
  await code;
  expect(events).toEqual(['reopened', 'reloaded', 'closed']);
});

test('if the start fails, the error is thrown, and no signal listener is left behind', async () => {
  const before = process.listenerCount('SIGTERM');
  await expect(
    runServer({ reloads: false, start: () => Promise.reject(new Error('no port')) }),
  ).rejects.toThrow('no port');
  expect(process.listenerCount('SIGTERM')).toBe(before);
});
