import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { packageFolder } from '#cli/adapters/own-files.ts';
import { metadataText, pythonVersion, wheelTag } from '#cli/release/python/metadata.ts';
import { type Platform, PLATFORMS, shortName } from '#contract/platforms.ts';

test.each([
  ['0.1.0', '0.1.0'],
  ['1.20.3-rc.1', '1.20.3rc1'],
  ['1.0.0-beta.12', '1.0.0b12'],
  ['1.0.0-alpha.0', '1.0.0a0'],
])('version %s is %s for Python', (version, expected) => {
  expect(pythonVersion(version)).toBe(expected);
});

test('a version without a form for Python is rejected', () => {
  for (const version of ['1.0', '1.0.0-next.1', '1.0.0+build', 'v1.0.0'])
    expect(() => pythonVersion(version)).toThrow(`The version ${version} has no form for Python.`);
});

test('the metadata contains the readme with links to the home page', () => {
  const facts = { name: 'x', summary: 'S', version: '1.0.0-rc.2', homepage: 'https://home.example' };
  const text = metadataText(facts, ['LICENSE']);
  const [head = '', ...body] = text.split('\n\n');
  expect(head).toMatch(/^Metadata-Version: 2\.4\nName: x\nVersion: 1\.0\.0rc2\nSummary: S\n/);
  expect(head).toContain('Requires-Python: >=3.9');
  expect(body.join('\n\n')).toContain('https://home.example/blob/main/docs/python.md');
  expect(text).not.toContain('{{');
});

// An installer chooses a wheel by its tag. A tag for older systems than those of the libraries would install a program that cannot build.
test('the tag of each platform is that of its newest native library', () => {
  for (const platform of PLATFORMS) {
    const tag = wheelTag(platform);
    const libraries = nativeLibraries(platform).map((path) => readFileSync(path));
    expect(libraries.length).toBeGreaterThan(1);
    expect(tag).toBe(`py3-none-${systemOf(platform, libraries)}`);
  }
});

/** The oldest system on which all libraries run, in the form of a tag. */
function systemOf(platform: Platform, libraries: readonly Buffer[]): string {
  if (platform.os === 'win32') return 'win_amd64';
  if (platform.os === 'darwin') return `macosx_${Math.max(...libraries.map(majorOfMacos))}_0_arm64`;
  const newest = Math.max(...libraries.map(minorOfGlibc), MINOR_OF_NODE);
  return `manylinux_2_${newest}_${platform.cpu === 'x64' ? 'x86_64' : 'aarch64'}`;
}

/** Node 26 requires glibc 2.28. */
const MINOR_OF_NODE = 28;

function nativeLibraries(platform: Platform): string[] {
  const onnxruntime = packageFolder('onnxruntime-node') ?? '';
  const tokenizers = packageFolder('tokenizers') ?? '';
  const files = globSync(`bin/*/${platform.os}/${platform.cpu}/*`, { cwd: onnxruntime }).map((path) =>
    join(onnxruntime, path),
  );
  const used = files.filter((path) =>
    platform.onnxruntimeFiles.includes(path.slice(dirname(path).length + 1)),
  );
  expect([shortName(platform), used.length]).toEqual([shortName(platform), platform.onnxruntimeFiles.length]);
  return [...used, join(tokenizers, platform.tokenizersFile)];
}

const minorOfGlibc = (library: Buffer): number =>
  Math.max(
    0,
    ...[...library.toString('latin1').matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor)),
  );

/** The oldest macOS version in the load command LC_BUILD_VERSION. */
function majorOfMacos(library: Buffer): number {
  let at = 32;
  for (let left = library.readUInt32LE(16); left > 0; left -= 1) {
    if (library.readUInt32LE(at) === 0x32) return library.readUInt32LE(at + 12) >>> 16;
    at += library.readUInt32LE(at + 4);
  }
  throw new Error('the library has no LC_BUILD_VERSION');
}
