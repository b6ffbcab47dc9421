import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';

interface Blob {
  readonly digest: string;
  readonly size: number;
}

export interface OciImage {
  readonly digest: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly layers: readonly Blob[];
  readonly config: {
    readonly architecture: string;
    readonly os: string;
    readonly config: Readonly<Record<string, unknown>>;
    readonly rootfs: { readonly diff_ids: readonly string[] };
  };
}

/** Reads the only image in a layout, and compares all blobs with their digests and sizes. */
export function readOciImage(layout: string): OciImage {
  const names = readdirSync(join(layout, 'blobs/sha256'));
  for (const name of names) expect(sha256(blob(layout, `sha256:${name}`))).toBe(name);
  const index = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8'));
  expect(index.manifests).toHaveLength(1);
  const [{ digest, annotations }] = index.manifests;
  const manifest = JSON.parse(blob(layout, digest).toString());
  const config = JSON.parse(blob(layout, manifest.config.digest).toString());
  const used = new Set([digest, manifest.config.digest]);
  for (const [position, layer] of manifest.layers.entries()) {
    const bytes = blob(layout, layer.digest);
    expect(bytes).toHaveLength(layer.size);
    expect(`sha256:${sha256(gunzipSync(bytes))}`).toBe(config.rootfs.diff_ids[position]);
    used.add(layer.digest);
  }
  expect(new Set(names.map((name) => `sha256:${name}`))).toEqual(used);
  return { digest, annotations, layers: manifest.layers, config };
}

/** Unpacks the layers of an image with this machine's tar. */
export function unpackOciImage(layout: string, { layers }: OciImage, root: string): void {
  mkdirSync(root);
  for (const { digest } of layers)
    execFileSync('tar', ['-xzpf', join(layout, 'blobs', digest.replace(':', '/')), '-C', root]);
}

const blob = (layout: string, digest: string): Buffer =>
  readFileSync(join(layout, 'blobs', digest.replace(':', '/')));

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
