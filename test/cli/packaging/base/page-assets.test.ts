import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { type PageRoom, pageAssets } from '#cli/packaging/base/page-assets.ts';
import { bundleProgram, type ProgramName } from '#cli/packaging/base/program.ts';
import { textAsset } from '#contract/native.ts';
import { reportHtml } from '#gateway/api/results/report/report-html.ts';
import { pageFilesOf } from '../../../helpers/page-files-of.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';

const tempFolder = useTempFolder();

/** A page folder with these files. */
function roomOf(room: string, files: Readonly<Record<string, string>>): PageRoom {
  const folder = join(tempFolder(), room, 'browser');
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return { room, folder };
}

const DOCUMENT = '<script type="module" src="assets/app.js"></script>';

test('the script of a page bundles all modules that it imports, including those in other folders', async () => {
  const own = roomOf('own', {
    'index.html': DOCUMENT,
    'app.ts':
      "import { word } from './parts/word.ts';\nimport { shout } from '../../shared/browser/shout.ts';\ndocument.title = shout(word);",
    'parts/word.ts':
      "import { end } from '../../../shared/browser/shout.ts';\nexport const word: string = 'hello' + end;",
    'parts/alone.ts': "export const read = 'by the program';",
    'tsconfig.json': '{}',
  });
  const shared = roomOf('shared', {
    'shout.ts': "export const end = '!';\nexport const shout = (text: string) => text.toUpperCase();",
    'style.css': 'p { color : red }',
  });
  const assets = new Map(await pageAssets([shared, own], ['parts/alone.js']));
  expect([...assets.keys()]).toEqual(
    ['shared/style.css', 'own/index.html', 'own/app.js', 'own/parts/alone.js'].map((name) =>
      textAsset(`page/${name}`),
    ),
  );
  const textOf = (name: string): string =>
    Buffer.from(assets.get(textAsset(`page/${name}`)) ?? []).toString();
  const page = { title: '' };
  // oxlint-disable-next-line no-implied-eval -- the test's own code.
  new Function('document', textOf('own/app.js'))(page);
  expect(page.title).toBe('HELLO!');
  expect(textOf('own/index.html')).toBe(DOCUMENT);
  expect(textOf('shared/style.css')).toBe('p{color:red}\n');
});

test('errors name a missing module, and a module that is not for browsers', async () => {
  const missing = roomOf('missing', { 'index.html': DOCUMENT, 'app.ts': "import './missing.ts';" });
  await expect(pageAssets([missing])).rejects.toThrow('Could not resolve "./missing.ts"');
  const secret = join(tempFolder(), 'secret.ts');
  writeFileSync(secret, 'export const secret = 1;');
  const code = "import { secret } from '../../secret.ts';\nconsole.log(secret);";
  const foreign = roomOf('foreign', { 'index.html': DOCUMENT, 'app.ts': code });
  await expect(pageAssets([foreign])).rejects.toThrow(`${secret}, which is not for browsers.`);
  await expect(pageAssets([roomOf('own', { 'one.css': '' })], ['lost.js'])).rejects.toThrow(
    'No page module for lost.js',
  );
});

/** The script that starts the report page. */
const [, REPORT_SCRIPT = ''] = /import "report\/([^"]+)"/.exec(reportHtml('Report', {})) ?? [];

const PROGRAMS = {
  encoder: { rooms: ['serve/http/docs-page', 'targets/encoder/http/page'], scripts: [] },
  manager: {
    rooms: ['serve/http/docs-page', 'targets/manager/http/pages', 'targets/manager/http/sign-in-page'],
    scripts: [],
  },
  gateway: { rooms: ['serve/http/docs-page', 'targets/gateway/api/pages'], scripts: [REPORT_SCRIPT] },
} satisfies Record<ProgramName, object>;

test.each(Object.keys(PROGRAMS) as ProgramName[])(
  'the program %s contains all files of its pages',
  async (program) => {
    const { assets } = await bundleProgram(program, '1.2.3');
    const { rooms: names, scripts } = PROGRAMS[program];
    const own = names.map(pageFilesOf);
    const found = [...assets.keys()].filter((name) => name.startsWith(textAsset('page/')));
    const isThere = (name: string): boolean => found.some((one) => one.endsWith(`/${name}`));
    const rooms = [...own, pageFilesOf('serve/http/pages')];
    const files = new Map(rooms.flatMap((room) => room.names().map((name) => [name, room] as const)));
    // File names must be unique across folders.
    expect(files.size).toBe(rooms.reduce((sum, room) => sum + room.names().length, 0));
    const texts = [...files.keys()].filter((name) => extname(name) !== '.js');
    expect(texts.length).toBeGreaterThan(6);
    expect(texts.filter((name) => !isThere(name))).toEqual([]);

    const linked = texts
      .filter((name) => name.endsWith('.html'))
      .flatMap((name) => [...(files.get(name)?.read(name) ?? '').matchAll(/(?:src|href)="assets\/([^"]+)"/g)])
      .map(([, name = '']) => name);
    expect([...linked, ...scripts].filter((name) => !isThere(name))).toEqual([]);

    // These entry files import every module of the program.
    const reached = new Set([...linked, ...scripts].filter((name) => name.endsWith('.js')));
    for (const name of reached) {
      const text = files.get(name)?.read(name) ?? '';
      for (const [, path = ''] of text.matchAll(/\b(?:from |import |import\()'(\.[^']+)'/g))
        reached.add(posix.join(posix.dirname(name), path));
    }
    expect([...reached].filter((name) => !files.has(name))).toEqual([]);
    const modules = own.flatMap((room) => room.names()).filter((name) => name.endsWith('.js'));
    expect(modules.length).toBeGreaterThan(20);
    // A module that contains only types has no code.
    const hasCode = (name: string): boolean =>
      /^(?:export )?(?:async )?(?:const|function|class|let) /m.test(files.get(name)?.read(name) ?? '');
    expect(modules.filter((name) => !reached.has(name) && hasCode(name))).toEqual([]);
    for (const name of [...linked, ...scripts].filter((one) => one.endsWith('.js'))) {
      const key = found.find((one) => one.endsWith(`/${name}`)) ?? '';
      const text = Buffer.from(assets.get(key) ?? []).toString();
      expect(text.length).toBeGreaterThan(1000);
      expect(text).not.toMatch(/\bfrom\s*["'][.#]|\bimport\s*["']/);
    }
  },
);
