import { readFile, stat, writeFile, mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Manifest } from '#contract/manifest.ts';
import type { Platform } from '#contract/platforms.ts';
import type { BaseRuntime } from '../base/base-runtime.ts';
import type { Reporter } from '../reporter.ts';
import { ANNOTATION, type Descriptor, LAYOUT_VERSION, MEDIA, blobPath } from './oci-format.ts';
import {
  APP_FOLDER,
  type BaseConfig,
  EXECUTABLE_PATH,
  historyEntry,
  imageConfig,
  ociPlatform,
} from './image-config.ts';
import { imageName, imageTag } from './image-name.ts';
import { minimalBase } from './minimal-base.ts';
import type { BaseImage } from './open-base-image.ts';
import { readBlob } from './read-blob.ts';
import { newSha256 } from '#platform/sha256.ts';
import { gzipStream } from './gzip-stream.ts';
import { type TarEntry, tarStream } from './tar-stream.ts';

export interface ImageInput {
  /** The folder of the layout, which exists and is empty. */
  readonly layout: string;
  /** The complete executable. */
  readonly executable: string;
  readonly runtime: BaseRuntime;
  readonly manifest: Manifest;
  readonly platform: Platform;
  /** The image that is extended; undefined for a layer with the libraries of this machine. */
  readonly baseImage: BaseImage | undefined;
  readonly created: string | undefined;
  readonly report: Reporter;
}

export interface WrittenImage {
  /** Name with tag that the image gets when it is loaded. */
  readonly image: string;
  /** Digest of the manifest. */
  readonly digest: string;
  /** Size of all files of the layout. */
  readonly bytes: number;
}

/** Writes an image as an OCI layout: the layers of its base, and one with the executable. */
export async function writeImage(input: ImageInput): Promise<WrittenImage> {
  const { layout, executable, manifest, platform, created } = input;
  const blobs = await createBlobFolder(layout);
  const base = await writeBase(blobs, input);
  const step = input.report.step('Compressing the executable');
  const { size } = await stat(executable);
  const layer = await writeLayer(
    blobs,
    [
      { type: 'folder', path: APP_FOLDER, mode: 0o755 },
      {
        type: 'file',
        path: EXECUTABLE_PATH,
        mode: 0o755,
        content: { path: executable, offset: 0, length: size },
      },
    ],
    (done) => step.progress(Math.min(done, size), size),
  );
  step.done();
  const config = await blobs.writeJson(
    MEDIA.config,
    imageConfig({ platform, manifest, base: base.config, diffId: layer.diffId, created }),
  );
  const layers = [...base.layers, layer.descriptor];
  const written = await blobs.writeJson(MEDIA.manifest, {
    schemaVersion: 2,
    mediaType: MEDIA.manifest,
    config,
    layers,
  });
  const index = JSON.stringify({
    schemaVersion: 2,
    mediaType: MEDIA.index,
    manifests: [
      { ...written, platform: ociPlatform(platform), annotations: indexAnnotations(manifest, created) },
    ],
  });
  const version = JSON.stringify(LAYOUT_VERSION);
  await writeFile(join(layout, 'oci-layout'), version);
  await writeFile(join(layout, 'index.json'), index);
  const sizes = new Map([...layers, config, written].map((blob) => [blob.digest, blob.size]));
  const bytes = [...sizes.values()].reduce((sum, one) => sum + one, index.length + version.length);
  return { image: imageName(manifest.name, manifest.version), digest: written.digest, bytes };
}

function indexAnnotations(
  { name, version, origin }: Manifest,
  created: string | undefined,
): Record<string, string | undefined> {
  return {
    [ANNOTATION.refName]: imageTag(version),
    [ANNOTATION.fullName]: imageName(name, version),
    [ANNOTATION.title]: name,
    [ANNOTATION.created]: created,
    [ANNOTATION.origin]: origin,
  };
}

interface WrittenBase {
  readonly layers: readonly Descriptor[];
  readonly config: BaseConfig;
}

async function writeBase(blobs: BlobFolder, input: ImageInput): Promise<WrittenBase> {
  return input.baseImage === undefined
    ? await writeMinimalBase(blobs, input)
    : await copyBase(blobs, input.baseImage, input.report);
}

async function writeMinimalBase(
  blobs: BlobFolder,
  { runtime, created, report }: ImageInput,
): Promise<WrittenBase> {
  const step = report.step('Copying the system libraries of this machine');
  // Only the program, without a model that the same file can contain.
  const program = (await readFile(runtime.path)).subarray(0, runtime.length);
  const { entries, hasLicenses } = await minimalBase(program);
  const layer = await writeLayer(blobs, entries, () => {});
  step.done();
  if (!hasLicenses) {
    report.warn(
      'The license texts of glibc, libstdc++ and libgcc are not complete on this machine, so the image lacks them. Add them before you distribute it, or pass --base-image.',
    );
  }
  return {
    layers: [layer.descriptor],
    config: { config: {}, diffIds: [layer.diffId], history: [historyEntry(created)] },
  };
}

async function copyBase(
  blobs: BlobFolder,
  { layout, layers, config }: BaseImage,
  report: Reporter,
): Promise<WrittenBase> {
  const step = report.step('Copying the base image');
  for (const [index, layer] of layers.entries()) {
    // An image can contain the same layer several times.
    const isCopied = layers.findIndex(({ digest }) => digest === layer.digest) < index;
    if (!isCopied) await blobs.write(layer.mediaType, readBlob(layout, layer));
  }
  step.done();
  return { layers, config };
}

/** A layer in a layout. `diffId` is the digest of the uncompressed archive. */
interface Layer {
  readonly descriptor: Descriptor;
  readonly diffId: string;
}

/** Writes a layer in one pass: archive, hash, compress, hash. */
async function writeLayer(
  blobs: BlobFolder,
  entries: Iterable<TarEntry>,
  onBytes: (done: number) => void,
): Promise<Layer> {
  const hash = newSha256();
  let done = 0;
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of tarStream(entries)) {
      hash.update(chunk);
      yield chunk;
      done += chunk.length;
      onBytes(done);
    }
  }
  const descriptor = await blobs.write(MEDIA.gzipLayer, gzipStream(hashed()));
  return { descriptor, diffId: `sha256:${hash.hex()}` };
}

/** The blobs of a layout that is being written. A blob is named by the hash of its content, which is known at its end. */
interface BlobFolder {
  readonly write: (mediaType: string, chunks: AsyncIterable<Uint8Array>) => Promise<Descriptor>;
  readonly writeJson: (mediaType: string, value: unknown) => Promise<Descriptor>;
}

async function createBlobFolder(layout: string): Promise<BlobFolder> {
  await mkdir(join(layout, 'blobs', 'sha256'), { recursive: true });
  const write: BlobFolder['write'] = async (mediaType, chunks) => {
    const unnamed = join(layout, 'blobs', 'unnamed');
    const hash = newSha256();
    let size = 0;
    const file = await open(unnamed, 'w');
    try {
      for await (const chunk of chunks) {
        // Hashes while writing: the write happens on another thread.
        const writing = file.writeFile(chunk);
        hash.update(chunk);
        await writing;
        size += chunk.length;
      }
      await file.sync();
    } finally {
      await file.close();
    }
    const digest = `sha256:${hash.hex()}`;
    await rename(unnamed, join(layout, blobPath(digest)));
    return { mediaType, digest, size };
  };
  return {
    write,
    writeJson: async (mediaType, value) =>
      await write(mediaType, single(new TextEncoder().encode(JSON.stringify(value)))),
  };
}

async function* single(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}
