import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { PLATFORMS, shortName } from '#contract/platforms.ts';
import { PROGRAMS } from '#cli/release/programs.ts';
import type { RegistryEntry, RegistryFiles } from '#cli/release/registries/entry.ts';
import { registryFiles } from '#cli/release/registries/registries.ts';

const [ENCODERFILE, MANAGER, GATEWAY] = PROGRAMS;
const HASHES = new Map(PLATFORMS.map((platform, at) => [platform, `${at}a`.repeat(32)]));

const entry = (changes: Partial<RegistryEntry> = {}): RegistryEntry => {
  if (!ENCODERFILE) throw new Error('there are no programs');
  return {
    facts: ENCODERFILE,
    version: '1.2.0-rc.1',
    license: 'Apache-2.0',
    homepage: 'https://github.com/acme/encoderfile',
    url: 'https://files.example/v1.2.0-rc.1',
    hashes: HASHES,
    noticesHash: 'f'.repeat(64),
    ...changes,
  };
};

/** The only file whose path ends like this. */
function file(files: RegistryFiles, end: string): string {
  const found = Object.entries(files).filter(([path]) => path.endsWith(end));
  expect(found.map(([path]) => path)).toHaveLength(1);
  return found[0]?.[1] ?? '';
}

test('every file contains the version or is the same for all versions, and no placeholder is left', () => {
  for (const facts of PROGRAMS) {
    const files = registryFiles(entry({ facts }));
    expect(Object.keys(files).length).toBeGreaterThan(10);
    for (const [path, text] of Object.entries(files)) {
      expect(path).not.toMatch(/^\/|\.\./);
      expect(text.endsWith('\n')).toBe(true);
      // mise and conda have templates of their own.
      const placeholder = path.startsWith('mise/') ? /\{\{\w+\}\}(?!" \})/ : /(?<!\$)\{\{/;
      expect(text).not.toMatch(placeholder);
    }
  }
});

test('every executable in a file has its own checksum', () => {
  const files = registryFiles(entry());
  const systems = Object.fromEntries([...HASHES].map(([platform, hash]) => [shortName(platform), hash]));
  const pairs: readonly [end: string, systems: readonly string[], encode?: (hash: string) => string][] = [
    ['Formula/encoderfile.rb', ['macos-arm64', 'linux-x64', 'linux-arm64']],
    [
      'package.nix',
      ['macos-arm64', 'linux-x64', 'linux-arm64'],
      (hash) => Buffer.from(hash, 'hex').toString('base64'),
    ],
    ['recipe.yaml', Object.keys(systems)],
    ['bucket/encoderfile.json', ['windows-x64']],
    ['.installer.yaml', ['windows-x64'], (hash) => hash.toUpperCase()],
    ['PKGBUILD', ['linux-x64', 'linux-arm64']],
    ['.SRCINFO', ['linux-x64', 'linux-arm64']],
  ];
  for (const [end, contained, encode = (hash: string) => hash] of pairs) {
    const text = file(files, end);
    const sums = Object.entries(systems).filter(([, hash]) => text.includes(encode(hash)));
    expect({ end, contained: sums.map(([system]) => system).sort() }).toEqual({
      end,
      contained: [...contained].sort(),
    });
    for (const system of contained) {
      // The checksum follows the URL of its own file, before that of any other one.
      const url = text.indexOf(`encoderfile-${system}`);
      const next = text.indexOf(encode(systems[system] ?? ''), url);
      expect(next).toBeGreaterThan(url);
      const between = text.slice(url, next).match(/encoderfile-(?:linux|macos|windows)-\w+/g);
      expect(new Set(between)).toEqual(new Set([`encoderfile-${system}`]));
    }
  }
});

test('registries that allow no hyphens in versions get the form that they sort correctly', () => {
  const files = registryFiles(entry());
  expect(file(files, 'PKGBUILD')).toContain('pkgver=1.2.0rc1\n');
  expect(parse(file(files, 'recipe.yaml'))).toMatchObject({ context: { version: '1.2.0rc1' } });
  expect(file(files, 'package.nix')).toContain('version = "1.2.0-rc.1";');
});

test('registries that find new versions themselves get a URL with a placeholder', () => {
  const files = registryFiles(entry());
  expect(JSON.parse(file(files, 'bucket/encoderfile.json'))).toMatchObject({
    autoupdate: {
      architecture: {
        '64bit': { url: 'https://files.example/v$version/encoderfile-windows-x64.exe#/encoderfile.exe' },
      },
    },
  });
  expect(file(files, 'asdf-encoderfile/bin/download')).toContain('-https://files.example/v$version}"');
});

test('a release of one platform produces only the files for it', () => {
  const only = (name: string): string[] => {
    const hashes = new Map([...HASHES].filter(([platform]) => shortName(platform) === name));
    return [
      ...new Set(Object.keys(registryFiles(entry({ hashes }))).map((path) => path.split('/')[0] ?? '')),
    ].sort();
  };
  expect(only('windows-x64')).toEqual(['mise', 'scoop-bucket', 'staged-recipes', 'winget-pkgs']);
  expect(only('macos-arm64')).toEqual([
    'asdf-encoderfile',
    'homebrew-tap',
    'mise',
    'nixpkgs',
    'staged-recipes',
  ]);
  expect(only('linux-x64')).toEqual([
    'asdf-encoderfile',
    'aur',
    'homebrew-tap',
    'mise',
    'nixpkgs',
    'staged-recipes',
  ]);
});

test('names of other programs contain the project where all projects share the names', () => {
  if (!GATEWAY || !MANAGER) throw new Error('a program is missing');
  const paths = Object.keys(registryFiles(entry({ facts: GATEWAY })));
  expect(paths).toContain('aur/encoderfile-gateway-bin/PKGBUILD');
  expect(paths).toContain('nixpkgs/pkgs/by-name/en/encoderfile-gateway/package.nix');
  expect(paths).toContain('mise/registry/encoderfile-gateway.toml');
  expect(paths).toContain('docker-hub/acme/gateway/README.md');
  const folder = 'winget-pkgs/manifests/a/Acme/McpManager/1.2.0-rc.1';
  const manager = registryFiles(entry({ facts: MANAGER }));
  expect(manager[`${folder}/Acme.McpManager.yaml`]).toContain('PackageIdentifier: Acme.McpManager\n');
});

// Templates quote descriptions for shells, Ruby, Nix and TOML.
test('no description contains a character with a meaning in a template', () => {
  for (const { description } of PROGRAMS) expect(description).toMatch(/^[\w (),.-]+$/);
});

test('the recipe requires the oldest systems of the wheels', () => {
  const recipe = parse(file(registryFiles(entry()), 'recipe.yaml')) as {
    requirements: { run: { then: string }[] };
  };
  expect(recipe.requirements.run.map(({ then }) => then)).toEqual([
    '__glibc >=2.28,<3.0.a0',
    '__glibc >=2.30,<3.0.a0',
    '__osx >=14.0',
  ]);
});

test('a formula contains every platform that Homebrew supports', () => {
  if (!MANAGER) throw new Error('a program is missing');
  const formula = file(registryFiles(entry({ facts: MANAGER })), '.rb');
  expect(formula).toContain('class McpManager < Formula');
  expect(formula.match(/url "[^"]+"/g)).toEqual([
    'url "https://files.example/v1.2.0-rc.1/mcp-manager-macos-arm64"',
    'url "https://files.example/v1.2.0-rc.1/mcp-manager-linux-x64"',
    'url "https://files.example/v1.2.0-rc.1/mcp-manager-linux-arm64"',
  ]);
});
