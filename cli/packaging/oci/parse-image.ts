import { isObject } from '#core/json/is-object.ts';
import { ANNOTATION, type Descriptor, MEDIA, type OciPlatform } from './descriptor.ts';
import type { BaseConfig } from './image-config.ts';

/** A reference in the index of a base image. */
export interface ForeignDescriptor extends Descriptor {
  readonly isIndex: boolean;
  readonly tag: string | undefined;
}

/** The configuration of a base image, with the platform that it is for. */
export interface ForeignConfig extends BaseConfig {
  readonly platform: OciPlatform;
}

const INDEX_TYPES: ReadonlySet<string> = new Set([
  MEDIA.index,
  'application/vnd.docker.distribution.manifest.list.v2+json',
]);

// Each function returns undefined for anything that is not valid: base images are files of other programs.

export function parseIndex(value: unknown): ForeignDescriptor[] | undefined {
  const manifests = isObject(value) ? value['manifests'] : undefined;
  return Array.isArray(manifests) ? all(manifests.map(parseDescriptor)) : undefined;
}

/** Returns the layers and the configuration that a manifest refers to. */
export function parseManifestJson(
  value: unknown,
): { readonly config: Descriptor; readonly layers: readonly Descriptor[] } | undefined {
  if (!isObject(value) || !Array.isArray(value['layers'])) return undefined;
  const config = parseDescriptor(value['config']);
  const layers = all(value['layers'].map(parseDescriptor));
  if (config === undefined || layers === undefined) return undefined;
  return { config: plain(config), layers: layers.map(plain) };
}

export function parseConfig(value: unknown): ForeignConfig | undefined {
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

/** A digest is part of a path, so its characters are checked. */
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

/** Returns the list if it has no undefined item. */
function all<T>(items: readonly (T | undefined)[]): T[] | undefined {
  const valid = items.filter((item) => item !== undefined);
  return valid.length === items.length ? valid : undefined;
}
