import { expect, test } from 'vitest';
import { collectNotices } from '#cli/packaging/notices/collect-notices.ts';

test('starts with the licenses of encoderfile and Node, and sorts packages', async () => {
  const notices = await collectNotices([], ['wasmoon', 'onnxruntime-node']);
  expect(notices.map(({ name }) => name)).toEqual(['encoderfile', 'node', 'onnxruntime-node', 'wasmoon']);
  expect(notices[0]?.texts[0]?.text).toContain('Apache License');
});

test('rejects a native package without notices for its contents', async () => {
  await expect(collectNotices([], ['ajv'])).rejects.toThrow(
    /^Cannot bundle ajv \d+\.\d+\.\d+: the notices of the software it contains are missing\. Add them to templates\/notices\/ajv@/,
  );
});

test('a program that contains the tiktoken vocabularies includes the tiktoken notice', async () => {
  const notices = await collectNotices(['/x/runtime/targets/gateway/requests/tokens/load-encoding.ts'], []);
  expect(notices.at(-1)).toMatchObject({ name: 'tiktoken', license: 'MIT' });
  expect(
    notices
      .at(-1)
      ?.texts.map(({ text }) => text)
      .join(''),
  ).toContain('OpenAI');
});
