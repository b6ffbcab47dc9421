import { zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { bundleProgram, programKey } from '#cli/packaging/base/program.ts';
import { ASSET_NOTICES } from '#contract/native.ts';

test('a program contains only ASCII characters, and its key depends on its license notices', async () => {
  const program = await bundleProgram('manager', '1.2.3');
  // Otherwise, Node stores the program with two bytes per character, which takes a tenth of the startup time.
  expect(program.main.findIndex((byte) => byte > 0x7f)).toBe(-1);
  const notices = program.assets.get(ASSET_NOTICES) ?? new Uint8Array();
  expect(zstdDecompressSync(notices).toString()).toContain('\nhono ');
  const others = new Map([...program.assets, [ASSET_NOTICES, new Uint8Array([1])]]);
  expect(programKey({ ...program, assets: others })).not.toBe(programKey(program));
});
