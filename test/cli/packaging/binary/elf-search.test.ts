import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DT, readDynamic } from '#cli/packaging/binary/elf-dynamic.ts';
import { searchOwnFoldersFirst } from '#cli/packaging/binary/elf-search.ts';

const ONNXRUNTIME = join(import.meta.dirname, '../../../../node_modules/onnxruntime-node/bin/napi-v6/linux');

const foldersIn = (file: Uint8Array, tag: number): string[] => {
  const dynamic = readDynamic(file);
  return (dynamic?.entries ?? [])
    .filter((entry) => entry.tag === tag)
    .map(({ value }) => dynamic?.string(value) ?? '');
};

it.each(['x64', 'arm64'])('a library for %s searches its own folder first', (cpu) => {
  const original = readFileSync(join(ONNXRUNTIME, cpu, 'onnxruntime_binding.node'));
  const folders = foldersIn(original, DT.RUNPATH);
  expect(folders[0]).toMatch(/^\$ORIGIN/);
  const before = new Uint8Array(original);

  const changed = searchOwnFoldersFirst(original);
  expect(foldersIn(changed, DT.RPATH)).toEqual(folders);
  expect(foldersIn(changed, DT.RUNPATH)).toEqual([]);
  expect(changed).toHaveLength(original.length);
  expect(new Uint8Array(original)).toEqual(before);
  expect(searchOwnFoldersFirst(changed)).toBe(changed);
});
