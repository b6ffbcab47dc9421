import { expect, test } from 'vitest';
import { serverSpec } from '../server-spec.ts';
import { callOf, useManager } from '../use-manager.ts';

const start = useManager();
const everything = {
  command: process.execPath,
  args: [],
  env: {},
};

test('completions, subscriptions and log levels are sent to a server that supports them', async () => {
  const spec = serverSpec('all', 'echo', { prompts: { allow: ['comp*'], deny: [] } });
  const program = new URL(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));
  const { calls } = start([
    { ...spec, launch: { kind: 'process', ...everything, args: [program.pathname, 'stdio'] } },
  ]);
  const argument = { name: 'department', value: 'E' };
  const complete = (ref: object) => calls.complete({ ...callOf('all'), params: { ref, argument } });
  expect(await complete({ type: 'ref/prompt', name: 'completable-prompt' })).toEqual({
    completion: expect.objectContaining({ values: ['Engineering'] }),
  });
  await expect(complete({ type: 'ref/prompt', name: 'simple-prompt' })).rejects.toThrow(
    'prompt not allowed: all/simple-prompt',
  );
  await expect(complete({ type: 'ref/other' })).rejects.toMatchObject({ code: 'InputError' });
  const { items } = await calls.listResources(callOf('all'));
  const uri = String(items[0]?.['uri']);
  await calls.subscribe({ ...callOf('all'), uri });
  await calls.unsubscribe({ ...callOf('all'), uri });
  await calls.setLogLevel({ ...callOf('all'), level: 'warning' });
});

test('a server without support for completions, subscriptions or log levels returns an error', async () => {
  const { calls } = start([serverSpec('echo', 'echo')]);
  const missing = { code: 'NotImplementedError' };
  const params = {
    ref: { type: 'ref/resource', uri: 'memo://{name}' },
    argument: { name: 'name', value: '' },
  };
  await expect(calls.complete({ ...callOf('echo'), params })).rejects.toMatchObject(missing);
  await expect(calls.setLogLevel({ ...callOf('echo'), level: 'debug' })).rejects.toMatchObject(missing);
  await expect(calls.subscribe({ ...callOf('echo'), uri: 'memo://one' })).rejects.toMatchObject(missing);
});
