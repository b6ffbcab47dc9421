import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSignIns } from '#manager/sign-in/sign-in-store.ts';
import { documentHashes } from '#test/helpers/document-hashes.ts';
import { FIXTURES } from '#test/helpers/paths.ts';
import { keyOf } from '../access/key-of.ts';
import { useApi } from './use-api.ts';

/** File operations are in the document only if there are files; none of them is called here. */
const files = {
  paths: { config: '', runtime: '' },
  keys: '',
  auditLog: undefined,
  signIns: openSignIns('', { env: {} }),
  packages: { install: () => Promise.resolve(), distrust: () => undefined },
  readServers: () => Promise.resolve([]),
};
const api = useApi(() => ({ servers: [], files, keys: [keyOf('mcpm_x')] }));

test('the OpenAPI document is byte-for-byte identical to the published one', async () => {
  const { text } = await api().get('/openapi.json');
  await expect(`${JSON.stringify(documentHashes(text), null, 1)}\n`).toMatchFileSnapshot(
    join(FIXTURES, 'golden', 'manager-openapi.json'),
  );
});
