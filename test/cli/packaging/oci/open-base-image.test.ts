import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MEDIA } from '#cli/packaging/oci/oci-format.ts';
import { openBaseImage, readBlob } from '#cli/packaging/oci/open-base-image.ts';
import { PLATFORMS } from '#contract/platforms.ts';
import { sha256 } from '#platform/sha256.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';

const folder = useTempFolder();
const [X64, ARM64] = PLATFORMS;
if (!X64 || !ARM64) throw new Error('no platforms');

interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

function writeBlob(content: string, mediaType: string): Blob {
  const hex = sha256(content);
  mkdirSync(join(folder(), 'blobs/sha256'), { recursive: true });
  writeFileSync(join(folder(), 'blobs/sha256', hex), content);
  return { mediaType, digest: `sha256:${hex}`, size: content.length };
}

const json = (value: unknown, mediaType: string): Blob => writeBlob(JSON.stringify(value), mediaType);

function image(architecture: string, layer: string): Blob {
  const config = json(
    { architecture, os: 'linux', config: { User: architecture }, rootfs: { diff_ids: [`of ${layer}`] } },
    MEDIA.config,
  );
  return json({ config, layers: [writeBlob(layer, MEDIA.gzipLayer)] }, MEDIA.manifest);
}

const tagged = (blob: Blob, tag: string): object => ({
  ...blob,
  annotations: { 'org.opencontainers.image.ref.name': tag },
});

function layout(manifests: readonly object[]): string {
  writeFileSync(join(folder(), 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  writeFileSync(join(folder(), 'index.json'), JSON.stringify({ schemaVersion: 2, manifests }));
  return folder();
}

it('finds the image for a platform by its configuration', async () => {
  const path = layout([image('amd64', 'one'), image('arm64', 'two')]);
  const found = await openBaseImage(path, ARM64);
  expect(found).toMatchObject({
    layout: path,
    layers: [{ digest: `sha256:${sha256('two')}`, size: 3 }],
    config: { config: { User: 'arm64' }, diffIds: ['of two'] },
  });
});

it('follows indexes, ignores attestations and resolves tags', async () => {
  const unknown = {
    ...json({}, MEDIA.manifest),
    platform: { os: 'unknown', architecture: 'unknown' },
  };
  const all = [{ ...image('amd64', 'one'), platform: { os: 'linux', architecture: 'amd64' } }, unknown];
  const index = json({ manifests: all }, MEDIA.index);
  const path = layout([tagged(index, 'a'), tagged(image('amd64', 'three'), 'b')]);
  expect((await openBaseImage(`${path}:a`, X64)).config.diffIds).toEqual(['of one']);
  expect((await openBaseImage(`${path}:b`, X64)).config.diffIds).toEqual(['of three']);
  await expect(openBaseImage(path, X64)).rejects.toThrow(
    /has several images for linux\/amd64 \(a, b\)\. Append a tag: --base-image .*:TAG\.$/,
  );
  await expect(openBaseImage(`${path}:c`, X64)).rejects.toThrow(/has no tag "c"\. Its tags are: a, b\.$/);
  await expect(openBaseImage(`${path}:a`, ARM64)).rejects.toThrow(
    /has no image for linux\/arm64, only for linux\/amd64, unknown\/unknown\./,
  );
});

it('rejects folders that are not an OCI layout', async () => {
  for (const path of [folder(), join(folder(), 'none'), join(folder(), 'none:tag')])
    await expect(openBaseImage(path, X64)).rejects.toThrow(/ is not an OCI image layout /);
  await expect(openBaseImage(layout([]), X64)).rejects.toThrow(/ is empty\. Copy an image to it\.$/);
});

it('rejects damaged documents', async () => {
  const good = image('amd64', 'one');
  const cases: [manifests: readonly object[], message: RegExp][] = [
    [[{ ...good, digest: 'sha256:../../etc/passwd' }], /index\.json is not a valid index/],
    [[{ ...good, digest: `sha256:${'0'.repeat(64)}` }], /cannot read blobs\/sha256\/0+ /],
    [[{ ...good, size: 1e9 }], /has 1000000000 bytes, more than/],
    [[json([], MEDIA.manifest)], /sha256:\w+ is not a valid manifest/],
    [[json({ manifests: 3 }, MEDIA.index)], /sha256:\w+ is not a valid index/],
    [[writeBlob('{', MEDIA.manifest)], /blobs\/sha256\/\w+ is not valid JSON/],
    [[json({ config: good, layers: [] }, MEDIA.manifest)], /is not an image configuration/],
  ];
  for (const [manifests, message] of cases)
    await expect(openBaseImage(layout(manifests), X64)).rejects.toThrow(message);
  writeFileSync(join(folder(), 'blobs', good.digest.replace(':', '/')), '{}');
  await expect(openBaseImage(layout([good]), X64)).rejects.toThrow(
    /has the digest sha256:\w+\. Copy it again/,
  );
});

it('compares blobs with their digests', async () => {
  const blob = writeBlob('content', MEDIA.gzipLayer);
  const read = async (): Promise<string> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of readBlob(folder(), blob)) chunks.push(chunk.slice());
    return Buffer.concat(chunks).toString();
  };
  expect(await read()).toBe('content');
  const path = join(folder(), 'blobs', blob.digest.replace(':', '/'));
  writeFileSync(path, 'CONTENT');
  await expect(read()).rejects.toThrow(/is corrupted: the content of blobs\S+ has the digest/);
  writeFileSync(path, 'short');
  await expect(read()).rejects.toThrow(/is corrupted: cannot read blobs\S+ \(.* was truncated/);
});
