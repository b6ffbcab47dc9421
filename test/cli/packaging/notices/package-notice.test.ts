import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageNotice } from '#cli/packaging/notices/package-notice.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';

const folder = useTempFolder();
const MIT = 'Copyright (c) Pat\n\nPermission is hereby granted';

function writePackage(json: object, files: Readonly<Record<string, string>> = {}): string {
  const path = join(folder(), 'left-pad');
  mkdirSync(path, { recursive: true });
  const all = { ...files, 'package.json': JSON.stringify({ name: 'left-pad', version: '1.3.0', ...json }) };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(path, name), text);
  return path;
}

test('finds license files with any common name, and reads notices in bundled files once', async () => {
  const path = writePackage(
    { license: 'MIT' },
    {
      'license.md': `${MIT}\r\n`,
      NOTICE: 'See also',
      'licenses.js': 'code',
      'a.js': '/*! Copyright Ann */',
      'b.js': '/* Copyright Ann */',
    },
  );
  const { texts, ...notice } = await packageNotice(path, [join(path, 'a.js'), join(path, 'b.js')]);
  expect(notice).toEqual({ name: 'left-pad', version: '1.3.0', license: 'MIT' });
  expect(texts).toEqual([
    { source: 'NOTICE', text: 'See also' },
    { source: 'license.md', text: MIT },
    { source: 'Source files', text: 'Copyright Ann' },
  ]);
});

test('falls back to the license in the README', async () => {
  const path = writePackage(
    { license: 'MIT' },
    { 'README.md': `# left-pad\n\nPads.\n\n## License\n\n${MIT}\n` },
  );
  expect((await packageNotice(path, [])).texts).toEqual([{ source: 'README.md', text: MIT }]);
});

test('refers to the Apache-2.0 text if a package has none', async () => {
  const path = writePackage({ license: 'Apache-2.0' });
  expect((await packageNotice(path, [])).texts).toHaveLength(1);
});

test.each([
  [{}, 'no license'],
  [{ license: 'GPL-3.0-only' }, 'the license "GPL-3.0-only"'],
  [{ license: 'SEE LICENSE IN LICENSE' }, 'the license "SEE LICENSE IN LICENSE"'],
  [{ license: { type: 'MIT' } }, 'the license {"type":"MIT"}'],
])('rejects %j', async (json, shown) => {
  await expect(packageNotice(writePackage(json, { LICENSE: MIT }), [])).rejects.toMatchObject({
    code: 'ConfigError',
    message: expect.stringMatching(
      `^Cannot bundle left-pad 1\\.3\\.0: its package.json has ${RegExp.escape(shown)}, but executables can only contain packages with these .*MIT.*Replace the package`,
    ),
  });
});

test('rejects a package without a license text', async () => {
  await expect(packageNotice(writePackage({ license: 'MIT' }), [])).rejects.toThrow(
    'Cannot bundle left-pad 1.3.0: it has no license text. Add the text to templates/notices/left-pad@1.3.0/.',
  );
});
