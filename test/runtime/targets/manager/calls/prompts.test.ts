import { expect, test } from 'vitest';
import { serverSpec } from '../server-spec.ts';
import { callOf, useManager } from '../use-manager.ts';

const start = useManager();
const get = (server: string, prompt: string, args = {}) => ({ ...callOf(server), prompt, args });

test('prompts can be listed and rendered', async () => {
  const { calls } = start([serverSpec('echo', 'echo')]);
  const { items, nextCursor } = await calls.listPrompts(callOf('echo'));
  expect(items.map(({ name }) => name)).toEqual(['greet', 'plain', 'Picture']);
  expect(nextCursor).toBeUndefined();
  expect(await calls.getPrompt(get('echo', 'greet', { name: 'Ada' }))).toEqual({
    description: 'About greet.',
    messages: [{ role: 'user', content: { type: 'text', text: 'greet {"name":"Ada"}' } }],
  });
});

test('prompts are paginated', async () => {
  const { calls } = start([serverSpec('echo', 'echo', { env: { PAGE_SIZE: '2' } })]);
  const first = await calls.listPrompts(callOf('echo'));
  expect(first.items).toHaveLength(2);
  expect(first.nextCursor).toEqual(expect.any(String));
  const second = await calls.listPrompts({ ...callOf('echo'), cursor: first.nextCursor });
  expect(second).toMatchObject({ items: [{ name: 'Picture' }], nextCursor: undefined });
});

test('disallowed prompts are neither listed nor rendered', async () => {
  const { calls } = start([serverSpec('echo', 'echo', { prompts: { allow: ['p*'], deny: ['plain'] } })]);
  expect((await calls.listPrompts(callOf('echo'))).items.map(({ name }) => name)).toEqual(['Picture']);
  await expect(calls.getPrompt(get('echo', 'greet'))).rejects.toMatchObject({
    code: 'ForbiddenError',
    message: 'prompt not allowed: echo/greet',
  });
});

test('an unknown prompt returns a "not found" error', async () => {
  const { calls } = start([serverSpec('echo', 'echo', { env: { PAGE_SIZE: '1' } })]);
  await expect(calls.getPrompt(get('Echo', 'nothing'))).rejects.toMatchObject({
    code: 'NotFoundError',
    message: 'prompt not found: echo/nothing',
    cause: { code: -32_602 },
  });
});

test('a server without prompts returns the error message that the published client expects', async () => {
  const { calls } = start([serverSpec('bare', 'echo', { env: { ONLY_TOOLS: '1' } })]);
  const error = {
    code: 'NotImplementedError',
    message: 'prompts not implemented by server: bare',
  };
  await expect(calls.listPrompts(callOf('Bare'))).rejects.toMatchObject(error);
  await expect(calls.getPrompt(get('bare', 'greet'))).rejects.toMatchObject(error);
});
