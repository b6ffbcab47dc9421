import { expect, test } from 'vitest';
import { bundledPackages } from '#cli/packaging/notices/bundled-packages.ts';

test('finds the innermost package of each file, and none for our own files', () => {
  const files = [
    '/x/runtime/main.ts',
    '/x/node_modules/ajv/lib/ajv.js',
    '/x/node_modules/ajv/lib/core.js',
    '/x/node_modules/@hono/node-server/dist/index.js',
    '/x/node_modules/ajv/node_modules/uri/index.js',
    String.raw`C:\x\node_modules\pg\lib\index.js`,
  ];
  expect([...bundledPackages(files)]).toEqual([
    ['/x/node_modules/ajv', ['/x/node_modules/ajv/lib/ajv.js', '/x/node_modules/ajv/lib/core.js']],
    ['/x/node_modules/@hono/node-server', ['/x/node_modules/@hono/node-server/dist/index.js']],
    ['/x/node_modules/ajv/node_modules/uri', ['/x/node_modules/ajv/node_modules/uri/index.js']],
    [String.raw`C:\x\node_modules\pg`, [String.raw`C:\x\node_modules\pg\lib\index.js`]],
  ]);
});
