import { readFile, stat, writeFile, mkdir, open, rename, readdir } from 'node:fs/promises';
import { join, dirname } from 'node:path';
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
  USER_ID,
} from './image-config.ts';
import { imageName, imageTag } from './image-name.ts';
import { type BaseImage, readBlob } from './open-base-image.ts';
import { newSha256 } from '#platform/sha256.ts';
import { gzipStream } from './gzip-stream.ts';
import { type TarEntry, tarStream } from './tar-stream.ts';
import { configError } from '#contract/errors.ts';
import { readElfNeeds } from '../binary/elf-needs.ts';
import { pushAll } from '#core/values/push-all.ts';

export interface ImageInput {
  /** The layout's folder, which exists and is empty. */
  readonly layout: string;
  /** Path of the complete executable. */
  readonly executable: string;
  readonly runtime: BaseRuntime;
  readonly manifest: Manifest;
  readonly platform: Platform;
  /** The base image. If undefined, the image gets a layer with libraries of this machine instead. */
  readonly baseImage: BaseImage | undefined;
  readonly created: string | undefined;
  readonly report: Reporter;
}

export interface WrittenImage {
  /** Image name and tag, which are used when the image is loaded. */
  readonly image: string;
  /** Digest of the manifest. */
  readonly digest: string;
  /** Total size of the layout's files. */
  readonly bytes: number;
}

/** Writes an image as an OCI layout, with the layers of the base image and a layer with the executable. */
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
  const step = report.step("Copying this machine's system libraries");
  // Reads only the program in the file, without a model that may follow it.
  const program = (await readFile(runtime.path)).subarray(0, runtime.length);
  const { entries, hasLicenses } = await minimalBase(program);
  const layer = await writeLayer(blobs, entries, () => {});
  step.done();
  if (!hasLicenses) {
    report.warn(
      'The license texts for glibc, libstdc++ and libgcc are incomplete on this machine, so the image does not contain them. Add them before you distribute the image, or pass --base-image.',
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

/** Writes a layer in one pass: creates the archive, hashes it, compresses it, and hashes the result. */
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

/**
 * Writes the blobs of a layout. The name of a blob is the hash of its content, which is only known
 * after all content has been written.
 */
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
        // Hashes a chunk while it is being written by another thread.
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

interface MinimalBase {
  readonly entries: readonly TarEntry[];
  /** Whether the license texts of all copied libraries were found. */
  readonly hasLicenses: boolean;
}

/**
 * Returns the contents of a minimal layer: the libraries of this machine that the executable needs,
 * a user, and a folder for temporary files.
 */
async function minimalBase(program: Uint8Array): Promise<MinimalBase> {
  const libraries = (await findHostLibraries(program)).map(({ path, bytes }): TarEntry => ({
    type: 'file',
    path: path.slice(1),
    mode: 0o755,
    content: { bytes },
  }));
  const licenses = await licenseTexts();
  const files = [...libraries, ...licenses.flat(), ...ACCOUNT_FILES];
  return {
    entries: [...foldersOf(files), ...MOUNT_POINTS, ...files],
    hasLicenses: licenses.every((texts) => texts.length > 0),
  };
}

const text = (path: string, content: string): TarEntry => ({
  type: 'file',
  path,
  mode: 0o644,
  content: { bytes: new TextEncoder().encode(content) },
});

const ACCOUNT_FILES: readonly TarEntry[] = [
  text(
    'etc/passwd',
    `root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:${USER_ID}:${USER_ID}:nonroot:/nonexistent:/sbin/nologin\n`,
  ),
  text('etc/group', `root:x:0:\nnonroot:x:${USER_ID}:\n`),
  text('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
];

const folder = (path: string, mode = 0o755): TarEntry => ({ type: 'folder', path, mode });

const MOUNT_POINTS: readonly TarEntry[] = [
  folder('dev'),
  folder('proc'),
  folder('sys'),
  folder('tmp', 0o1777),
];

/** Returns the parent folders of files, parents first. */
function foldersOf(files: readonly TarEntry[]): TarEntry[] {
  const paths = new Set<string>();
  for (const { path } of files)
    for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) paths.add(parent);
  return [...paths].toSorted().map((path) => folder(path));
}

/**
 * Folders with the license texts of each library: first for Debian packages, then for packages of
 * Fedora and related distributions.
 */
const LICENSE_FOLDERS: readonly (readonly string[])[] = [
  ['/usr/share/doc/libc6', '/usr/share/licenses/glibc'],
  ['/usr/share/doc/libstdc++6', '/usr/share/licenses/libstdc++', '/usr/share/licenses/libgcc'],
  ['/usr/share/doc/libgcc-s1', '/usr/share/doc/libgcc1', '/usr/share/licenses/libgcc'],
];

/** Texts that Debian's copyright files refer to. */
const COMMON_LICENSES = '/usr/share/common-licenses';

async function licenseTexts(): Promise<TarEntry[][]> {
  const texts: TarEntry[][] = [];
  for (const folders of LICENSE_FOLDERS) {
    const found = (await Promise.all(folders.map(textsIn))).find((one) => one.length > 0);
    texts.push(found ?? []);
  }
  const isDebian = texts.flat().some(({ path }) => path.startsWith('usr/share/doc/'));
  if (isDebian) texts.push(await textsIn(COMMON_LICENSES));
  return texts;
}

async function textsIn(of: string): Promise<TarEntry[]> {
  const isLicense = of.startsWith('/usr/share/doc/')
    ? (name: string): boolean => name === 'copyright'
    : (name: string): boolean => of !== COMMON_LICENSES || /^(L?GPL|GFDL)-[\d.]+$/.test(name);
  const names = (await readdir(of).catch(() => [])).filter(isLicense).toSorted();
  const texts = await Promise.all(
    names.map(async (name): Promise<TarEntry[]> => {
      const path = join(of, name);
      const bytes = await readFile(path).catch(() => undefined);
      return bytes === undefined
        ? []
        : [{ type: 'file', path: path.slice(1), mode: 0o644, content: { bytes } }];
    }),
  );
  return texts.flat();
}

/** A library of this machine, with the path at which the loader searches for it. */
interface HostLibrary {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/**
 * Libraries that the executable loads after startup: its compressed native libraries need librt,
 * and older glibc versions load the other libraries to resolve host names and users.
 */
const LOADED_LATER = ['librt.so.1', 'libpthread.so.0', 'libdl.so.2', 'libm.so.6'];
const LOADED_IF_PRESENT = ['libresolv.so.2', 'libnss_files.so.2', 'libnss_dns.so.2'];

/** Finds a program's loader and libraries on this machine, including the libraries' own dependencies. */
async function findHostLibraries(program: Uint8Array): Promise<HostLibrary[]> {
  const { interpreter, libraries, machine } = readElfNeeds(program) ?? {};
  if (interpreter === undefined || libraries === undefined || machine === undefined)
    throw new Error('the base runtime has no dynamic loader');
  const loader = await readFile(interpreter).catch((error: unknown) => {
    throw missing(`${interpreter} is missing`, error);
  });
  const found = new Map<string, HostLibrary>();
  const folders = foldersFor(machine);
  const queue = [...libraries, ...LOADED_LATER, ...LOADED_IF_PRESENT];
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    if (found.has(name) || interpreter.endsWith(`/${name}`)) continue;
    const library = await find(name, folders, machine);
    if (library !== undefined) {
      found.set(name, library);
      pushAll(queue, library.needs);
    } else if (!LOADED_IF_PRESENT.includes(name)) throw missing(`${name} is not in ${folders.join(', ')}`);
  }
  const sorted = [...found.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1));
  return [{ path: interpreter, bytes: loader }, ...sorted.map(({ path, bytes }) => ({ path, bytes }))];
}

const EM_X86_64 = 62;

/** Folders that the loaders of Debian, Fedora and related distributions search by default. */
function foldersFor(machine: number): string[] {
  const triple = machine === EM_X86_64 ? 'x86_64-linux-gnu' : 'aarch64-linux-gnu';
  return [`/lib/${triple}`, `/usr/lib/${triple}`, '/lib64', '/usr/lib64', '/lib', '/usr/lib'];
}

async function find(
  name: string,
  folders: readonly string[],
  machine: number,
): Promise<(HostLibrary & { readonly needs: readonly string[] }) | undefined> {
  for (const folder of folders) {
    const path = join(folder, name);
    const bytes = await readFile(path).catch(() => undefined);
    const needs = bytes && readElfNeeds(bytes);
    // Skips libraries for another architecture, as the loader does.
    if (bytes && needs?.machine === machine) return { path, bytes, needs: needs.libraries };
  }
  return undefined;
}

const missing = (what: string, cause?: unknown): Error =>
  configError(
    `This machine does not have the system libraries for an image: ${what}. Pass --base-image with an image that has glibc, libstdc++ and libgcc.`,
    cause,
  );
