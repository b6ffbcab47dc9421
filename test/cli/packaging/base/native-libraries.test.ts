import { expect, test } from 'vitest';
import { PLATFORMS, shortName } from '#contract/platforms.ts';
import { readNativeLibraries } from '#cli/packaging/base/native-libraries.ts';

test('on Windows, the compiler for shaders is separate, so that it is only extracted for a GPU', async () => {
  const lists = await Promise.all(
    PLATFORMS.map(
      async (platform) => [shortName(platform), (await readNativeLibraries(platform)).list] as const,
    ),
  );
  for (const [name, { files, gpuFiles }] of lists) {
    expect(files.map((file) => file.name)).not.toContain('dxcompiler.dll');
    const expected = name === 'windows-x64' ? ['dxcompiler.dll', 'dxil.dll'] : undefined;
    expect(gpuFiles?.map((file) => file.name)).toEqual(expected);
  }
});
