import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readDocuments } from '#cli/packaging/model/model-documents.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';

const folder = useTempFolder();
const write = (name: string, content: string | Uint8Array): void =>
  writeFileSync(join(folder(), name), content);

test('the model card comes first, and licenses before notices', async () => {
  write('README.md', '# A model\r\n');
  for (const name of ['NOTICE', 'LICENSE.txt', 'LICENSE', 'license.md.bak', 'LICENSES.csv'])
    write(name, name);
  expect(await readDocuments(folder())).toEqual({
    card: { name: 'README.md', text: '# A model\r\n' },
    licenses: ['LICENSE', 'LICENSE.txt', 'NOTICE'].map((name) => ({ name, text: name })),
    problems: [],
  });
});

test('a folder without documents, and a missing folder, have no documents', async () => {
  const nothing = { card: undefined, licenses: [], problems: [] };
  expect(await readDocuments(folder())).toEqual(nothing);
  expect(await readDocuments(join(folder(), 'missing'))).toEqual(nothing);
});

test('binary files and invalid UTF-8 are skipped', async () => {
  write('README.md', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0]));
  write('LICENSE', new Uint8Array([0x4d, 0xe9, 0x74]));
  expect(await readDocuments(folder())).toEqual({
    card: undefined,
    licenses: [],
    problems: [
      'LICENSE is not included: it is not UTF-8 text.',
      'README.md is not included: it is not UTF-8 text.',
    ],
  });
});

test('a large card is truncated between characters, and a large license is skipped', async () => {
  write('README.md', `#${'é'.repeat(1024 * 1024)}`);
  write('LICENSE', 'x'.repeat(1024 * 1024 + 1));
  const { card, licenses, problems } = await readDocuments(folder());
  expect(card?.text).toBe(`#${'é'.repeat(512 * 1024 - 1)}`);
  expect(licenses).toEqual([]);
  expect(problems).toEqual([
    'LICENSE is not included: it is larger than 1 MiB.',
    'README.md is truncated to 1 MiB.',
  ]);
});

test('links are followed; folders, pipes and empty files are not documents', async () => {
  write('card', '# A model');
  symlinkSync('card', join(folder(), 'README.md'));
  symlinkSync('nowhere', join(folder(), 'COPYING'));
  mkdirSync(join(folder(), 'LICENSE'));
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder(), 'NOTICE')]);
  write('LICENSE.txt', ' \n');
  const { card, licenses, problems } = await readDocuments(folder());
  expect(card).toEqual({ name: 'README.md', text: '# A model' });
  expect(licenses).toEqual([]);
  expect(problems).toEqual([expect.stringMatching(/^COPYING is not included: ENOENT/)]);
});

test('control characters are removed, because terminals would interpret them', async () => {
  write('LICENSE', 'a\u001B[31mb\fc\td\r\n\u009Be');
  expect((await readDocuments(folder())).licenses[0]?.text).toBe('a[31mbc\td\r\ne');
});

test('a lone carriage return becomes a line break, because it would overwrite a line on terminals', async () => {
  write('LICENSE', 'one\rtwo\r\nthree\r\rfour\r');
  expect((await readDocuments(folder())).licenses[0]?.text).toBe('one\ntwo\r\nthree\n\nfour\n');
});
