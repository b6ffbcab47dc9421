import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { pageFiles } from '#serve/http/pages/page-files.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';

const tempFolder = useTempFolder();

test('a module keeps its lines and columns, and its imports refer to one served folder', () => {
  const source = [
    "import type { Row } from './row.ts';",
    "import { type Part, draw } from '../parts/draw.ts';",
    "import { element } from '#serve/http/pages/browser/dom.ts';",
    "const later = import('./later.ts');",
    "export const show = (row: Row, part?: Part): Node => draw(row, element('p', {}, 'from ./x.ts'), part as Part);",
  ].join('\n');
  mkdirSync(join(tempFolder(), 'sections'));
  writeFileSync(join(tempFolder(), 'sections/keys.ts'), source);
  writeFileSync(join(tempFolder(), 'app.ts'), "import { element } from '#serve/http/pages/browser/dom.ts';");
  const files = pageFiles('test', pathToFileURL(`${tempFolder()}/`));
  expect(files.names()).toEqual(['app.js', 'sections/keys.js']);
  const lines = files.read('sections/keys.js').split('\n');
  expect(lines.map((line) => line.trim().replaceAll(/ +/g, ' '))).toEqual([
    '',
    "import { draw } from '../parts/draw.js';",
    "import { element } from '../dom.js';",
    "const later = import('./later.js');",
    "export const show = (row , part ) => draw(row, element('p', {}, 'from ./x.ts'), part );",
  ]);
  expect(lines[4]?.indexOf('element')).toBe(source.split('\n')[4]?.indexOf('element'));
  expect(files.read('app.js')).toBe("import { element } from './dom.js';");
});

test("only files in the page's folder can be read", () => {
  const files = pageFiles('test', new URL('../../../../pages/gallery/', import.meta.url));
  expect(files.names()).toEqual([
    'basics.js',
    'charts.js',
    'gallery.css',
    'gallery.js',
    'index.html',
    'texts.js',
  ]);
  expect(files.read('gallery.js')).toContain('startApp');
  expect(files.read('gallery.js')).toBe(files.read('gallery.js'));
});
