import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { pageAssets } from '#cli/packaging/base/page-assets.ts';
import { bundleProgram, type ProgramName } from '#cli/packaging/base/program.ts';
import { textAsset } from '#contract/native.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';

const tempFolder = useTempFolder();

/** A folder with these files. */
function folderOf(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(tempFolder(), name);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

const DOCUMENT = '<script type="module" src="assets/app.js"></script>';

test('the module that a document starts with contains all others, of other folders, too', async () => {
  const own = folderOf('own', {
    'index.html': DOCUMENT,
    'app.js':
      "import { word } from './parts/word.js';\nimport { shout } from './shout.js';\ndocument.title = shout(word);",
    'parts/word.js': "import { end } from '../shout.js';\nexport const word = 'hello' + end;",
    'tsconfig.json': '{}',
  });
  const shared = folderOf('shared', {
    'shout.js': "export const end = '!';\nexport const shout = (text) => text.toUpperCase();",
  });
  const assets = new Map(await pageAssets([shared, own]));
  expect([...assets.keys()]).toEqual(
    ['shout.js', 'app.js', 'index.html', 'parts/word.js'].map((name) => textAsset(`page/${name}`)),
  );
  const textOf = (name: string): string =>
    Buffer.from(assets.get(textAsset(`page/${name}`)) ?? []).toString();
  const page = { title: '' };
  // oxlint-disable-next-line no-implied-eval -- the code of this test.
  new Function('document', textOf('app.js'))(page);
  expect(page.title).toBe('HELLO!');
  expect(textOf('index.html')).toBe(DOCUMENT);
  expect(textOf('parts/word.js')).toContain('import');
});

test('a module that does not exist is named', async () => {
  const folder = folderOf('own', { 'index.html': DOCUMENT, 'app.js': "import './missing.js';" });
  await expect(pageAssets([folder])).rejects.toThrow('There is no module missing.js.');
});

test.each<ProgramName>(['encoder', 'manager', 'gateway'])(
  'pages of %s start with one module',
  async (name) => {
    const { assets } = await bundleProgram(name, '1.2.3');
    const text = Buffer.from(assets.get(textAsset('page/app.js')) ?? []).toString();
    expect(text.length).toBeGreaterThan(10_000);
    expect(text).not.toMatch(/\bfrom\s*["']\.|\bimport\s*["']/);
  },
);
