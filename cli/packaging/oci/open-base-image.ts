import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type AppError, configError, messageOf } from '#contract/errors.ts';
import type { Platform } from '#contract/platforms.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { type Descriptor, type OciPlatform, ANNOTATION, MEDIA, blobPath } from './oci-format.ts';
import { type BaseConfig, ociPlatform } from './image-config.ts';
import { pushAll } from '#core/values/push-all.ts';
import { isObject } from '#core/json/is-object.ts';
import { readChunks } from '#platform/read-chunks.ts';
import { newSha256, sha256 } from '#platform/sha256.ts';

/** An image that another image is built on. */
export interface BaseImage {
  readonly layout: string;
  readonly layers: readonly Descriptor[];
  readonly config: BaseConfig;
}

/** Maximum nesting depth of indexes. Deeper nesting indicates a loop or an attack. */
const MAX_DEPTH = 4;

/** Opens a platform's image in an OCI layout: `PATH`, or `PATH:TAG` if the layout has several images. */
export async function openBaseImage(shown: string, platform: Platform): Promise<BaseImage> {
  const { layout, tag } = await splitTag(shown);
  const top = parseIndex(await readIndex(layout, shown));
  if (top === undefined) throw corrupted(layout, 'index.json is not a valid index');
  const tagged = tag === undefined ? top : top.filter((one) => one.tag === tag);
  if (tagged.length === 0) throw noImage(layout, tag, top);
  const wanted = ociPlatform(platform);
  const found = new Map<string, { image: BaseImage; tag: string | undefined }>();
  const others = new Set<string>();
  for (const one of await flatten(layout, tagged, MAX_DEPTH)) {
    if (one.platform !== undefined && !isSame(one.platform, wanted)) {
      others.add(text(one.platform));
      continue;
    }
    const { image, of } = await readImage(layout, one);
    if (isSame(of, wanted)) found.set(one.digest, { image, tag: one.tag });
    else others.add(text(of));
  }
  const [first, second] = [...found.values()];
  if (first === undefined) {
    throw configError(
      `The base image ${shown} has no image for ${text(wanted)}, only for ${[...others].join(', ')}. Copy the image for this platform, or pass another --platform.`,
    );
  }
  if (second !== undefined) {
    const tags = [...found.values()].map((one) => one.tag ?? 'no tag').join(', ');
    throw configError(
      `The base image ${shown} has several images for ${text(wanted)} (${tags}). Append a tag: --base-image ${layout}:TAG.`,
    );
  }
  return first.image;
}

/** Paths can contain colons, so the path of an existing folder is not split into path and tag. */
async function splitTag(shown: string): Promise<{ layout: string; tag: string | undefined }> {
  const colon = shown.lastIndexOf(':');
  if (colon <= 0 || (await isFolder(shown)) || !(await isFolder(shown.slice(0, colon))))
    return { layout: shown, tag: undefined };
  return { layout: shown.slice(0, colon), tag: shown.slice(colon + 1) };
}

const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() === true;

async function readIndex(layout: string, shown: string): Promise<unknown> {
  const read = async (name: string): Promise<string> => await readFile(join(layout, name), 'utf8');
  try {
    await read('oci-layout');
    return parseJsonText(await read('index.json'));
  } catch (error) {
    throw configError(
      `The base image ${shown} is not an OCI image layout (a folder with oci-layout, index.json and blobs). Create one with: skopeo copy docker://debian:bookworm-slim oci:${layout}`,
      error,
    );
  }
}

/** Replaces indexes with the manifests that they contain, which inherit the tag. */
async function flatten(
  layout: string,
  descriptors: readonly ForeignDescriptor[],
  depth: number,
): Promise<ForeignDescriptor[]> {
  const manifests: ForeignDescriptor[] = [];
  for (const one of descriptors) {
    if (!one.isIndex) {
      manifests.push(one);
      continue;
    }
    const inner = depth > 0 ? parseIndex(await readJsonBlob(layout, one)) : undefined;
    if (inner === undefined) throw corrupted(layout, `${one.digest} is not a valid index`);
    const inherited = inner.map((item) => ({ ...item, tag: one.tag }));
    pushAll(manifests, await flatten(layout, inherited, depth - 1));
  }
  return manifests;
}

async function readImage(
  layout: string,
  descriptor: Descriptor,
): Promise<{ image: BaseImage; of: OciPlatform }> {
  const manifest = parseManifestJson(await readJsonBlob(layout, descriptor));
  if (manifest === undefined) throw corrupted(layout, `${descriptor.digest} is not a valid manifest`);
  const config = parseConfig(await readJsonBlob(layout, manifest.config));
  if (config === undefined)
    throw corrupted(layout, `${manifest.config.digest} is not an image configuration`);
  const { layers } = manifest;
  if (layers.length !== config.diffIds.length) {
    throw corrupted(
      layout,
      `the manifest has ${layers.length} layers, but its configuration has ${config.diffIds.length}`,
    );
  }
  return { image: { layout, layers, config }, of: config.platform };
}

function noImage(layout: string, tag: string | undefined, all: readonly ForeignDescriptor[]): AppError {
  if (tag === undefined) return configError(`The base image ${layout} is empty. Copy an image to it.`);
  const tags = all.flatMap((one) => one.tag ?? []);
  return configError(
    `The base image ${layout} has no tag ${JSON.stringify(tag)}. ${tags.length === 0 ? `It has no tags: pass --base-image ${layout}` : `Its tags are: ${tags.join(', ')}`}.`,
  );
}

const isSame = (one: OciPlatform, other: OciPlatform): boolean =>
  one.os === other.os && one.architecture === other.architecture;

const text = ({ os, architecture }: OciPlatform): string => `${os}/${architecture}`;

/** An entry in the index of a base image. */
interface ForeignDescriptor extends Descriptor {
  readonly isIndex: boolean;
  readonly tag: string | undefined;
}

/** A base image's configuration, including its platform. */
interface ForeignConfig extends BaseConfig {
  readonly platform: OciPlatform;
}

const INDEX_TYPES: ReadonlySet<string> = new Set([
  MEDIA.index,
  'application/vnd.docker.distribution.manifest.list.v2+json',
]);

// These functions return undefined for invalid input, because base images are written by other programs.

function parseIndex(value: unknown): ForeignDescriptor[] | undefined {
  const manifests = isObject(value) ? value['manifests'] : undefined;
  return Array.isArray(manifests) ? all(manifests.map(parseDescriptor)) : undefined;
}

/** Returns the layers and the configuration that a manifest refers to. */
function parseManifestJson(
  value: unknown,
): { readonly config: Descriptor; readonly layers: readonly Descriptor[] } | undefined {
  if (!isObject(value) || !Array.isArray(value['layers'])) return undefined;
  const config = parseDescriptor(value['config']);
  const layers = all(value['layers'].map(parseDescriptor));
  if (config === undefined || layers === undefined) return undefined;
  return { config: plain(config), layers: layers.map(plain) };
}

function parseConfig(value: unknown): ForeignConfig | undefined {
  if (!isObject(value) || !isObject(value['rootfs'])) return undefined;
  const { architecture, os, history, rootfs } = value;
  const diffIds = rootfs['diff_ids'];
  if (typeof architecture !== 'string' || typeof os !== 'string' || !isTexts(diffIds)) return undefined;
  return {
    platform: { architecture, os },
    config: isObject(value['config']) ? value['config'] : {},
    diffIds,
    history: Array.isArray(history) ? history : undefined,
  };
}

/** Checks the characters of a digest, because it becomes part of a path. */
const DIGEST = /^sha256:[0-9a-f]{64}$/;

function parseDescriptor(value: unknown): ForeignDescriptor | undefined {
  if (!isObject(value)) return undefined;
  const { mediaType, digest, size, annotations } = value;
  if (typeof mediaType !== 'string' || typeof digest !== 'string' || !DIGEST.test(digest)) return undefined;
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) return undefined;
  const tag = isObject(annotations) ? annotations[ANNOTATION.refName] : undefined;
  const platform = parsePlatform(value['platform']);
  return {
    mediaType,
    digest,
    size,
    ...(platform === undefined ? {} : { platform }),
    isIndex: INDEX_TYPES.has(mediaType),
    tag: typeof tag === 'string' ? tag : undefined,
  };
}

function parsePlatform(value: unknown): OciPlatform | undefined {
  if (!isObject(value)) return undefined;
  const { architecture, os } = value;
  return typeof architecture === 'string' && typeof os === 'string' ? { architecture, os } : undefined;
}

const plain = ({ mediaType, digest, size }: Descriptor): Descriptor => ({ mediaType, digest, size });

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** Returns the list, or undefined if an item is undefined. */
function all<T>(items: readonly (T | undefined)[]): T[] | undefined {
  const valid = items.filter((item) => item !== undefined);
  return valid.length === items.length ? valid : undefined;
}

/** Maximum size of JSON documents. Larger ones are corrupt, because registries allow at most 4 MiB. */
const MAX_JSON = 16 * 1024 * 1024;

/** Reads a small JSON blob of a base image and verifies its digest. */
async function readJsonBlob(layout: string, { digest, size }: Descriptor): Promise<unknown> {
  if (size > MAX_JSON)
    throw corrupted(layout, `${digest} has ${size} bytes, more than the maximum of ${MAX_JSON}`);
  const bytes = await readFile(join(layout, blobPath(digest))).catch((error: unknown) => {
    throw corrupted(layout, `cannot read ${blobPath(digest)} (${messageOf(error)})`, error);
  });
  const actual = `sha256:${sha256(bytes)}`;
  if (actual !== digest)
    throw corrupted(layout, `the content of ${blobPath(digest)} has the digest ${actual}`);
  try {
    return parseJsonText(bytes.toString('utf8'));
  } catch (error) {
    throw corrupted(layout, `${blobPath(digest)} is not valid JSON`, error);
  }
}

/** Yields the bytes of a blob in a base image, and throws at the end if they do not match the digest. */
export async function* readBlob(layout: string, { digest, size }: Descriptor): AsyncGenerator<Uint8Array> {
  const hash = newSha256();
  const path = blobPath(digest);
  try {
    for await (const chunk of readChunks({ path: join(layout, path), offset: 0, length: size })) {
      hash.update(chunk);
      yield chunk;
    }
  } catch (error) {
    throw corrupted(layout, `cannot read ${path} (${messageOf(error)})`, error);
  }
  const actual = `sha256:${hash.hex()}`;
  if (actual !== digest) throw corrupted(layout, `the content of ${path} has the digest ${actual}`);
}

const corrupted = (layout: string, why: string, cause?: unknown): AppError =>
  configError(`The base image ${layout} is corrupted: ${why}. Copy it again, e.g. with skopeo.`, cause);
