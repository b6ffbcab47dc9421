import { copyFileSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { crc32 } from '#contract/container/crc32.ts';
import { encodeFooter, FOOTER_LENGTH, FORMAT_VERSION } from '#contract/container/footer.ts';
import type { Section } from '#contract/container/sections.ts';
import { overwrite, sectionsOf } from '../helpers/container-file.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { runExecutable } from './arms.ts';
import { verifiesOnce } from './verifies.ts';
import { builtExecutable } from '../helpers/built.ts';

const folder = useTempFolder();

verifiesOnce('executable:damaged', async () => {
  const original = builtExecutable('sentiment');
  const size = readFileSync(original).length;
  const section = sectionsOf(original);
  const damages: [what: string, change: (path: string) => void, message: RegExp][] = [
    ['cut by one byte', (path) => truncateSync(path, size - 1), /or it is truncated/],
    [
      'cut in the weights',
      (path) => truncateSync(path, section('weights').offset + 10),
      /or it is truncated/,
    ],
    ['footer altered', (path) => overwrite(path, size - 20, 'x'), /its footer does not match its checksum/],
    ['index altered', (path) => overwrite(path, size - FOOTER_LENGTH - 200, 'x'), /its index does not match/],
    [
      'graph altered',
      (path) => overwrite(path, section('graph').offset + 40, 'x'),
      /section `graph` does not match/,
    ],
    [
      'tokenizer altered',
      (path) => overwrite(path, section('tokenizer').offset + 300, 'X'),
      /section `tokenizer`|tokeniz/,
    ],
    [
      'newer format',
      (path) => rewriteIndex(path, (sections) => sections, FORMAT_VERSION + 1),
      /has file format 2, but this version supports formats up to 1/,
    ],
    ['no weights', (path) => rewriteIndex(path, without('graph')), /section `graph` is missing/],
    ['no manifest', (path) => rewriteIndex(path, without('manifest')), /section `manifest` is missing/],
  ];
  for (const [what, change, message] of damages) {
    const path = join(folder(), 'damaged.encoder');
    copyFileSync(original, path);
    change(path);
    const { exitCode, stdout, stderr } = await runExecutable(path, ['infer', 'I love this']);
    expect(stderr, what).toMatch(message);
    expect(stderr, what).toMatch(/^Error: [^\n]+\n$/);
    expect({ what, exitCode, stdout }).toEqual({ what, exitCode: 1, stdout: '' });
  }

  // Only verify reads the weights completely; it detects a single changed byte, also in the program itself.
  for (const name of ['weights', 'executable'] as const) {
    const path = join(folder(), 'altered.encoder');
    copyFileSync(original, path);
    overwrite(path, section(name).offset + section(name).length - 9, '!');
    const { exitCode, stderr } = await runExecutable(path, ['verify']);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining(`corrupted in \`${name}\``),
    });
  }
});

const without =
  (name: string) =>
  (sections: readonly Section[]): Section[] =>
    sections.filter((section) => section.name !== name);

/** Replaces the index with another one that has valid checksums. */
function rewriteIndex(
  path: string,
  change: (sections: readonly Section[]) => readonly Section[],
  version = FORMAT_VERSION,
): void {
  const file = readFileSync(path);
  const footer = new DataView(file.buffer, file.byteOffset + file.length - FOOTER_LENGTH, FOOTER_LENGTH);
  const indexOffset = Number(footer.getBigUint64(16, true));
  const old = JSON.parse(file.subarray(indexOffset, indexOffset + footer.getUint32(24, true)).toString());
  const index = Buffer.from(JSON.stringify({ sections: change(old.sections) }));
  overwrite(path, indexOffset, index);
  const fields = { formatVersion: version, indexOffset, indexLength: index.length, indexCrc: crc32(index) };
  overwrite(path, file.length - FOOTER_LENGTH, encodeFooter(fields));
}
