import type { Notice } from '../packaging/notices/format-notices.ts';

/**
 * Describes the software in an executable as a CycloneDX document
 * (https://cyclonedx.org/docs/1.6/json/). It has no creation time and no serial number, so that the
 * same sources produce the same file.
 */
export function sbomOf(packageName: string, version: string, notices: readonly Notice[]): string {
  const components = notices
    .filter(({ name }) => name !== 'encoderfile')
    .map((notice) => ({
      type: notice.name === 'node' ? 'platform' : 'library',
      'bom-ref': packageUrl(notice),
      name: notice.name,
      version: notice.version,
      licenses: [{ expression: notice.license }],
      purl: packageUrl(notice),
    }));
  const own = { name: packageName, version };
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': packageUrl(own),
        ...own,
        licenses: [{ expression: 'Apache-2.0' }],
        purl: packageUrl(own),
      },
    },
    components,
    dependencies: [
      { ref: packageUrl(own), dependsOn: components.map(({ purl }) => purl) },
      ...components.map(({ purl }) => ({ ref: purl })),
    ],
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/** Node itself is described differently, because it is not an npm package. */
const packageUrl = ({ name, version }: { readonly name: string; readonly version: string }): string =>
  name === 'node'
    ? `pkg:generic/node@${version}`
    : `pkg:npm/${name.replace(/^@/, '%40')}@${encodeURIComponent(version)}`;
