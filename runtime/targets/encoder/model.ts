import { readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readContainer, requireSection } from '#contract/container/read.ts';
import type { Section, SectionName } from '#contract/container/sections.ts';
import { configError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import { ASSETS } from '#contract/assets.ts';
import { LOCATION_PLACEHOLDER, padLocation } from '#contract/weights-location.ts';
import { parseManifest } from '#core/model/manifest-json.ts';
import { openFileSource } from '#platform/file-source.ts';
import { layersOf, type VectorLayer } from './math/inference.ts';

/** Everything needed to run a model. */
export interface Model {
  /** The file or folder of the model, for messages. */
  readonly path: string;
  readonly manifest: Manifest;
  /** The optimized graph; its weights are found by file name in `weightsFolder`. */
  readonly graph: Uint8Array;
  readonly weightsFolder: string;
  readonly weightsBytes: number;
  readonly tokenizer: string;
  /** Lua source of the transform, if the model has one. */
  readonly transform: string | undefined;
  /** Modules after pooling, in memory that threads share; undefined if there are none. */
  readonly layers: readonly VectorLayer[] | undefined;
  /**
   * Verifies the checksums of everything that was read; throws if they differ. Must be called
   * before any result is returned.
   */
  readonly check: () => Promise<void>;
  /** Whether the file is still the same: threads that open it later must not get another model. */
  readonly isStillThere: () => boolean;
}

/** Opens a model: an executable built by `encoderfile build`, or the folder that `build --no-build` writes. */
export function openModel(path: string): Model {
  // ONNX Runtime rejects weights behind a symbolic link, and the file may have been renamed since
  // it was built.
  const real = realpathSync(path);
  return statSync(real).isDirectory() ? openAssets(real) : openExecutable(real);
}

function openExecutable(path: string): Model {
  const source = openFileSource(path);
  try {
    const container = readContainer(source);
    const sections = new Map<Section, Uint8Array>();
    const read = (name: SectionName): Uint8Array => {
      const section = requireSection(source, container, name);
      const bytes = source.readAt(section.offset, section.length);
      sections.set(section, bytes);
      return bytes;
    };
    const manifest = readManifest(path, read('manifest'));
    return {
      path,
      manifest,
      // Copied, because the original bytes are verified later.
      graph: nameWeights(read('graph').slice(), basename(path)),
      weightsFolder: dirname(path),
      weightsBytes: requireSection(source, container, 'weights').length,
      tokenizer: decode(read('tokenizer')),
      transform: manifest.transform && decode(read('transform')),
      layers: layersIn(manifest, () => read('layers')),
      check: () => checkSections(path, sections),
      isStillThere: watchFile(path),
    };
  } finally {
    source.close();
  }
}

function openAssets(folder: string): Model {
  const read = (file: string): Uint8Array => readFileSync(join(folder, file));
  const manifest = readManifest(folder, read(ASSETS.manifest));
  return {
    path: folder,
    manifest,
    graph: read(ASSETS.graph),
    weightsFolder: folder,
    weightsBytes: statSync(join(folder, ASSETS.weights)).size,
    tokenizer: decode(read(ASSETS.tokenizer)),
    transform: manifest.transform && decode(read(ASSETS.transform)),
    layers: layersIn(manifest, () => read(ASSETS.layers)),
    check: () => Promise.resolve(),
    isStillThere: watchFile(join(folder, ASSETS.weights)),
  };
}

/**
 * Verifies the checksums of small sections at every start, which detects corruption; `verify`
 * checks the weights, and detects tampering. Loading zlib takes 3 ms (crypto takes 8), while
 * another thread opens the session.
 */
async function checkSections(path: string, sections: ReadonlyMap<Section, Uint8Array>): Promise<void> {
  const { crc32 } = await import('node:zlib');
  for (const [section, bytes] of sections) {
    if (crc32(bytes) !== section.crc32) throw damaged(path, section.name);
  }
}

/** Builds are renamed into place, so another build is a different file. */
function watchFile(path: string): () => boolean {
  const opened = statSync(path);
  return () => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.ino === opened.ino && found.dev === opened.dev && found.mtimeMs === opened.mtimeMs;
  };
}

/** Writes the current file name into the space that the builder reserved for it. */
function nameWeights(graph: Uint8Array, name: string): Uint8Array {
  const bytes = Buffer.from(graph.buffer, graph.byteOffset, graph.byteLength);
  const location = padLocation(name);
  for (let at = bytes.indexOf(LOCATION_PLACEHOLDER); at >= 0; at = bytes.indexOf(LOCATION_PLACEHOLDER, at)) {
    at += bytes.write(location, at);
  }
  return graph;
}

function layersIn({ sentence }: Manifest, read: () => Uint8Array): VectorLayer[] | undefined {
  if (!sentence?.layers) return undefined;
  const bytes = read();
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return layersOf(sentence.layers, new Float32Array(shared));
}

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function readManifest(path: string, bytes: Uint8Array): Manifest {
  try {
    return parseManifest(bytes);
  } catch {
    throw damaged(path, 'manifest');
  }
}

function damaged(path: string, name: SectionName): Error {
  return configError(
    `${path} is corrupted: section \`${name}\` does not match its checksum. Copy the file again from where it was built.`,
  );
}
