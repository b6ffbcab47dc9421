import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documentHashes } from '#test/helpers/document-hashes.ts';
import { FIXTURES } from '#test/helpers/paths.ts';
import { useSignIn } from './use-sign-in.ts';

const { start } = useSignIn();

test('the OpenAPI document is, byte for byte, the one that clients know', async () => {
  const { request } = await start();
  const { text } = await request('/openapi.json');
  await expect(`${JSON.stringify(documentHashes(text), null, 1)}\n`).toMatchFileSnapshot(
    join(FIXTURES, 'golden', 'gateway-openapi.json'),
  );
});
