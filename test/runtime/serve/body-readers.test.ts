import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../helpers/paths.ts';

/** Reads of a body that do not count its bytes themselves. */
const READS =
  /\.raw\.(?:body|arrayBuffer|json|text|blob|formData|bytes)\b|\bc\.req\.(?:json|text|arrayBuffer|formData|parseBody|blob)\(/;

/** Files that read bodies, and the reason why their bytes are bounded. */
const READERS: Readonly<Record<string, string>> = {
  'runtime/serve/http/body.ts': 'counts them',
  'runtime/targets/gateway/api/http/bodies.ts': 'counts them',
  'runtime/targets/gateway/api/datasets.ts': 'passes them on in pieces',
  'runtime/targets/gateway/api/uploads.ts': 'passes them on in pieces',
  'runtime/targets/manager/mcp/script-requests.ts': 'reads calls of scripts, which never leave the process',
};

test('request bodies are read only by code that counts their bytes', () => {
  const files = globSync('runtime/{serve,targets}/**/*.ts', { cwd: ROOT, exclude: ['**/browser/**'] });
  const readers = files.filter((file) => READS.test(readFileSync(join(ROOT, file), 'utf8')));
  expect(files.length).toBeGreaterThan(1000);
  expect(readers.sort()).toEqual(Object.keys(READERS).sort());
});
