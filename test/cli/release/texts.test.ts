import { expect, test } from 'vitest';
import { fillTemplate } from '#cli/release/fill-template.ts';
import { sbomOf } from '#cli/release/sbom.ts';

test('a template is filled in, and an unknown placeholder causes an error', () => {
  expect(fillTemplate('{{a}} and {{b}}, ${{c', { a: '1', b: '$&' })).toBe('1 and $&, ${{c');
  expect(() => fillTemplate('{{missing}}', {})).toThrow('the unknown placeholder {{missing}}');
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
