import { expect, test } from 'vitest';
import { fillTemplate } from '#cli/release/fill-template.ts';
import { formulaOf } from '#cli/release/formula.ts';
import { PROGRAMS } from '#cli/release/programs.ts';
import { sbomOf } from '#cli/release/sbom.ts';
import { PLATFORMS } from '#contract/platforms.ts';

test('a template is filled in, and an unknown placeholder causes an error', () => {
  expect(fillTemplate('{{a}} and {{b}}, ${{c', { a: '1', b: '$&' })).toBe('1 and $&, ${{c');
  expect(() => fillTemplate('{{missing}}', {})).toThrow('the unknown placeholder {{missing}}');
});

test('a formula contains every platform that Homebrew supports', () => {
  const [, facts] = PROGRAMS;
  if (!facts) throw new Error('there are no programs');
  const input = { facts, version: '1.2.3', homepage: 'https://home.example', url: 'https://files.example' };
  const hashes = new Map(PLATFORMS.map((platform, at) => [platform, String(at).repeat(64)]));
  const formula = formulaOf({ ...input, hashes }) ?? '';
  expect(formula).toContain('class McpManager < Formula');
  expect(formula.match(/url "[^"]+"/g)).toEqual([
    'url "https://files.example/mcp-manager-macos-arm64"',
    'url "https://files.example/mcp-manager-linux-x64"',
    'url "https://files.example/mcp-manager-linux-arm64"',
  ]);
  expect(formula).toContain(`sha256 "${'2'.repeat(64)}"`);
  const windows = new Map([...hashes].filter(([{ os }]) => os === 'win32'));
  expect(formulaOf({ ...input, hashes: windows })).toBeUndefined();
});

test('a bill of materials lists each package once, and is derived only from the notices', () => {
  const notices = [
    { name: 'encoderfile', version: '1.2.3', license: 'Apache-2.0', texts: [] },
    { name: 'node', version: '26.0.0', license: 'MIT', texts: [] },
    { name: '@scope/package', version: '1.0.0+build', license: '(MIT OR Apache-2.0)', texts: [] },
  ];
  const document = JSON.parse(sbomOf('@encoderfile/gateway', '1.2.3', notices)) as {
    components: { purl: string }[];
    dependencies: { ref: string; dependsOn?: string[] }[];
  };
  const urls = ['pkg:generic/node@26.0.0', 'pkg:npm/%40scope/package@1.0.0%2Bbuild'];
  expect(document.components.map(({ purl }) => purl)).toEqual(urls);
  expect(document.dependencies[0]).toEqual({ ref: 'pkg:npm/%40encoderfile/gateway@1.2.3', dependsOn: urls });
  expect(sbomOf('@encoderfile/gateway', '1.2.3', notices)).toBe(
    sbomOf('@encoderfile/gateway', '1.2.3', notices),
  );
});
