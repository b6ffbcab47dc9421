import { zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { bundleProgram, programKey } from '../../../../cli/packaging/base/program.ts';
import { ASSET_NOTICES } from '../../../../runtime/contract/native.ts';

test('the key of a program covers its notices', async () => {
  const program = await bundleProgram('manager', '1.2.3');
  const notices = program.assets.get(ASSET_NOTICES) ?? new Uint8Array();
  expect(zstdDecompressSync(notices).toString()).toContain('\nhono ');
  const others = new Map([...program.assets, [ASSET_NOTICES, new Uint8Array([1])]]);
  expect(programKey({ ...program, assets: others })).not.toBe(programKey(program));
});
