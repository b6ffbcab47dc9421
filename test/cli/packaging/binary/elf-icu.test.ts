import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeBinary } from '#cli/packaging/base/node-binary.ts';
import { cutElf } from '#cli/packaging/binary/elf-cut.ts';
import { readDynamic } from '#cli/packaging/binary/elf-dynamic.ts';
import { removeIcuLocales } from '#cli/packaging/binary/elf-icu.ts';
import { stripElf } from '#cli/packaging/binary/elf-strip.ts';
import { findIcuPackage, type IcuPackage } from '#cli/packaging/binary/icu-package.ts';
import { messageOf } from '#contract/errors.ts';
import { PLATFORMS } from '#contract/platforms.ts';
import { TEST_CACHE } from '../../../helpers/paths.ts';

/** The other platform's Node binary is downloaded on the first run. */
const DOWNLOAD_MS = 600_000;

/** All ICU features that the programs and their dependencies use, and their results with complete data. */
const USES = {
  "new Intl.ListFormat('en', { type: 'disjunction' }).format(['a', 'b', 'c'])": 'a, b, or c',
  "[...new Intl.Segmenter().segment('\\u{1f469}\\u200d\\u{1f467}e\\u0301')].length": 2,
  "'\\ufb01\\u00c5'.normalize('NFKD').length": 4,
  "'e\\u0301'.normalize('NFC').length": 1,
  "['b', 'a', '\\u00e4', 'Z'].sort((a, b) => a.localeCompare(b)).join('')": 'aäbZ',
  "'I'.toLocaleLowerCase('en')": 'i',
  '/\\p{Script=Han}/u.test("\\u6f22")': true,
  "new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([195, 164]))": 'ä',
  "new URL('http://b\\u00fccher.de').host": 'xn--bcher-kva.de',
  '(1234567.5).toLocaleString("en")': '1,234,567.5',
  "new Date(0).toLocaleString('en', { timeZone: 'Asia/Tokyo', hour12: false })": '1/1/1970, 09:00:00',
  'new Date(0).toString()': 'Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time)',
};

describe.each(['x64', 'arm64'] as const)('removeIcuLocales on the Node binary of linux-%s', (cpu) => {
  let before: Uint8Array | undefined;
  let after: Uint8Array = new Uint8Array();
  beforeAll(async () => {
    const platform = PLATFORMS.find((one) => one.os === 'linux' && one.cpu === cpu);
    if (!platform) throw new Error(`no platform linux-${cpu}`);
    try {
      before = stripElf(readFileSync(await nodeBinary(platform, TEST_CACHE, true)));
      after = removeIcuLocales(before);
    } catch (error) {
      console.warn(`SKIPPED: the Node binary of linux-${cpu} was not edited: ${messageOf(error)}`);
    }
  }, DOWNLOAD_MS);

  it('shrinks the binary by a fifth, and keeps language-independent ICU data', (context) => {
    context.skip(!before, 'no binary');
    expect((before ?? after).length - after.length).toBeGreaterThan(25_000_000);
    const [old, now] = [packageIn(before ?? after), packageIn(after)];
    const names = now.items.map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
    expect(names).toEqual(
      expect.arrayContaining([
        'root.res',
        'en.res',
        'nfkc.nrm',
        'brkitr/char.brk',
        'pool.res',
        'zoneinfo64.res',
      ]),
    );
    expect(now.last).toEqual({ name: old.last.name, start: expect.any(Number) });
    expect(names.filter((name) => /\.(?:cnv|dict)$|(?:^|\/)(?:de|zh)(?:_\w+)?\.res$/.test(name))).toEqual([]);
    const item = (bytes: Uint8Array, { items }: IcuPackage, name: string): Uint8Array => {
      const { start = 0, end = 0 } = items.find((one) => one.name === name) ?? {};
      return bytes.subarray(start, end);
    };
    for (const name of names) {
      const bytes = item(before ?? after, old, name);
      // The second-to-last section seems to extend to the last one, including the removed bytes.
      const kept = item(after, now, name).subarray(0, bytes.length);
      expect(Buffer.compare(bytes, kept), name).toBe(0);
    }
  });

  it('keeps all other data at its address', (context) => {
    context.skip(!before, 'no binary');
    const [old, now] = [segments(before ?? after), segments(after)];
    expect(now.length).toBe(old.length + 1);
    for (const segment of now) {
      const source = old.find(({ address, end }) => address <= segment.address && segment.end <= end);
      if (!source) throw new Error('a segment has another address');
      const distance = segment.address - source.address;
      const bytes = source.bytes.subarray(distance, distance + segment.bytes.length);
      // The first page after the removed bytes can begin with some of them.
      const skipped = distance === 0 ? 0 : 65_536;
      const isSame = Buffer.compare(bytes.subarray(skipped), segment.bytes.subarray(skipped)) === 0;
      // The first part of the split segment contains the new package.
      expect(isSame).toBe(segment.end === source.end);
    }
  });
});

function packageIn(file: Uint8Array): IcuPackage {
  const found = findIcuPackage(file);
  if (!found) throw new Error('no ICU data');
  return found;
}

const segments = (file: Uint8Array) =>
  (readDynamic(file)?.segments ?? []).map(({ address, offset, fileSize, memorySize }) => ({
    address,
    end: address + memorySize,
    // The file header contains the offset and number of the program headers, which change.
    bytes: offset === 0 ? file.subarray(64, 64) : file.subarray(offset, offset + fileSize),
  }));

describe.skipIf(process.platform !== 'linux' || process.arch !== 'x64')(
  'a Node binary without locale data',
  () => {
    let folder = '';
    let node = '';
    let file: Uint8Array = new Uint8Array();
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'elf-icu-'));
      node = join(folder, 'node');
      file = readFileSync(process.execPath);
      writeFileSync(node, removeIcuLocales(file), { mode: 0o755 });
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it('runs and returns the same results in every locale', () => {
      const code = `console.log(JSON.stringify([${Object.keys(USES).join(',')}]))`;
      for (const language of ['C', 'en_US.UTF-8', 'ja_JP.UTF-8']) {
        // Time zone names are localized, but Node includes them only in English.
        const expected = Object.values(USES).slice(0, language.startsWith('ja') ? -1 : undefined);
        const env = { ...process.env, LC_ALL: language, LANG: language, TZ: 'UTC' };
        const printed = JSON.parse(execFileSync(node, ['-e', code], { env, encoding: 'utf8' })) as unknown[];
        expect(printed.slice(0, expected.length)).toEqual(expected);
      }
    });

    it('is unchanged when edited again, as is a file without ICU data', () => {
      const edited = readFileSync(node);
      expect(removeIcuLocales(edited)).toBe(edited);
      const small = new Uint8Array(64);
      expect(removeIcuLocales(small)).toBe(small);
    });

    it('rejects data that spans several segments', () => {
      expect(() => cutElf(file, 0, file.length)).toThrow(
        /^Cannot remove unused ICU data .*: no segment contains it\. Use the Node/,
      );
    });
  },
);
