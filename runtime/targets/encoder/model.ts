import { readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { findSection, readContainer, requireSection } from '#contract/container/read.ts';
import type { Section, SectionName } from '#contract/container/sections.ts';
import { configError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import { readsImages } from '#contract/model-types.ts';
import { ASSETS } from '#contract/assets.ts';
import { LOCATION_PLACEHOLDER, padLocation } from '#contract/weights-location.ts';
import { bareTokenizer } from '#core/model/bare-tokenizer.ts';
import { parseManifest } from '#core/model/manifest-json.ts';
import { staticFormManifest } from '#core/model/static-form-manifest.ts';
import { tableLayout, tableShape } from '#core/model/token-table.ts';
import type { TokenizerSources } from '#platform/entity-tokenizer.ts';
import { openFileSource } from '#platform/file-source.ts';
import type { FileRange } from '#platform/read-chunks.ts';
import { tableMemory, type TableMemory } from '#platform/table-file.ts';
import { layersOf, type VectorLayer } from './math/inference.ts';

/** Everything that is required to run a model. */
export interface Model {
  /** Path of the model file or folder, for messages. */
  readonly path: string;
  readonly manifest: Manifest;
  readonly body: ModelBody;
  readonly weightsBytes: number;
  readonly tokenizer: TokenizerSources;
  /** Lua source of the transform, if the model has one. */
  readonly transform: string | undefined;
  /**
   * The weights of the modules that follow pooling, in memory that threads share; undefined if
   * there are no such modules.
   */
  readonly layers: readonly VectorLayer[] | undefined;
  /** The weight of each token for queries of a sparse_embedding model; undefined if it has no such table. */
  readonly queryWeights: Float32Array | undefined;
  /**
   * Verifies the checksums of all data that was read, and throws if one does not match. Must be called
   * before any result is returned.
   */
  readonly check: () => Promise<void>;
  /**
   * Whether the file is still the same, because threads that open it later must not get a different
   * model.
   */
  readonly isStillThere: () => boolean;
  /** Opens the static form, if the file contains both forms. Until then, it takes up no memory. */
  readonly openStaticForm?: (() => Model) | undefined;
}

/** What computes the model's output: a graph, or the table of a static model. */
export type ModelBody = GraphBody | TableBody;

export interface GraphBody {
  readonly kind: 'graph';
  /** The optimized graph. It refers to its weights by the name of a file in `weightsFolder`. */
  readonly graph: Uint8Array;
  /** The graph of the encoder of images, for models with another one for texts. It has the same form. */
  readonly imageGraph?: Uint8Array | undefined;
  readonly weightsFolder: string;
}

/** The part of a file that contains a table, and the memory for it, which all threads share. */
export interface TableBody extends FileRange, TableMemory {
  readonly kind: 'table';
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
    const weights = requireSection(source, container, 'weights');
    const table = findSection(container, 'static');
    return withStaticForm(table && { path, ...table }, {
      path,
      manifest,
      body: tableBody({ path, offset: weights.offset, length: weights.length }, manifest) ?? {
        kind: 'graph',
        // Copied, because the original bytes are verified later.
        graph: nameWeights(read('graph').slice(), basename(path)),
        imageGraph: imageGraphIn(manifest, () => nameWeights(read('image-graph').slice(), basename(path))),
        weightsFolder: dirname(path),
      },
      weightsBytes: weights.length,
      tokenizer: tokenizersIn(manifest, (name) => decode(read(name))),
      transform: manifest.transform && decode(read('transform')),
      layers: layersIn(manifest, () => read('layers')),
      queryWeights: queryWeightsIn(manifest, () => read('layers')),
      check: () => checkSections(path, sections),
      isStillThere: watchFile(path),
    });
  } finally {
    source.close();
  }
}

function openAssets(folder: string): Model {
  const read = (file: string): Uint8Array => readFileSync(join(folder, file));
  const manifest = readManifest(folder, read(ASSETS.manifest));
  const weights = join(folder, ASSETS.weights);
  const { size: length } = statSync(weights);
  const table = join(folder, ASSETS.static);
  const { size: tableLength } = statSync(table, { throwIfNoEntry: false }) ?? {};
  const tableFile = tableLength === undefined ? undefined : { path: table, offset: 0, length: tableLength };
  return withStaticForm(tableFile, {
    path: folder,
    manifest,
    body: tableBody({ path: weights, offset: 0, length }, manifest) ?? {
      kind: 'graph',
      graph: read(ASSETS.graph),
      imageGraph: imageGraphIn(manifest, () => read(ASSETS['image-graph'])),
      weightsFolder: folder,
    },
    weightsBytes: length,
    tokenizer: tokenizersIn(manifest, (name) => decode(read(ASSETS[name]))),
    transform: manifest.transform && decode(read(ASSETS.transform)),
    layers: layersIn(manifest, () => read(ASSETS.layers)),
    queryWeights: queryWeightsIn(manifest, () => read(ASSETS.layers)),
    check: () => Promise.resolve(),
    isStillThere: watchFile(weights),
  });
}

/** Adds the static form to a model whose file contains both forms. `file` is the form's table. */
function withStaticForm(file: FileRange | undefined, model: Model): Model {
  const manifest = staticFormManifest(model.manifest);
  if (!manifest) return model;
  if (!file || !hasTable(manifest, file)) throw damaged(model.path, 'static');
  const { path, offset, length } = file;
  return {
    ...model,
    openStaticForm() {
      const body = tableBody({ path, offset, length }, manifest);
      if (!body) throw new Error('the static form has no table');
      return {
        ...model,
        manifest,
        body,
        weightsBytes: length,
        tokenizer: { json: bareTokenizer(model.tokenizer.json) },
        transform: undefined,
        layers: undefined,
      };
    },
  };
}

/** Whether this part of a file has the size of the model's table. */
function hasTable(manifest: Manifest, { length }: FileRange): boolean {
  const shape = tableShape(manifest);
  return shape !== undefined && tableLayout(shape).bytes === length;
}

/**
 * Verifies the checksums of small sections at every start to detect corruption. The `verify`
 * command also checks the weights and detects tampering. Loading zlib takes 3 ms (crypto would take
 * 8 ms), and another thread opens the session during this time.
 */
async function checkSections(path: string, sections: ReadonlyMap<Section, Uint8Array>): Promise<void> {
  const { crc32 } = await import('node:zlib');
  for (const [section, bytes] of sections) {
    if (crc32(bytes) !== section.crc32) throw damaged(path, section.name);
  }
}

/** A build is renamed into place, so a new build is a different file with a different inode. */
function watchFile(path: string): () => boolean {
  const opened = statSync(path);
  return () => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.ino === opened.ino && found.dev === opened.dev && found.mtimeMs === opened.mtimeMs;
  };
}

/** The table in this part of a file; undefined if the model has a graph. */
function tableBody(file: FileRange, manifest: Manifest): TableBody | undefined {
  const shape = tableShape(manifest);
  if (!shape) return undefined;
  if (!hasTable(manifest, file)) throw damaged(file.path, 'weights');
  return { kind: 'table', ...file, ...tableMemory(shape) };
}

/** Writes the current file name into the space that the builder has reserved for it in the graph. */
function nameWeights(graph: Uint8Array, name: string): Uint8Array {
  const bytes = Buffer.from(graph.buffer, graph.byteOffset, graph.byteLength);
  const location = padLocation(name);
  for (let at = bytes.indexOf(LOCATION_PLACEHOLDER); at >= 0; at = bytes.indexOf(LOCATION_PLACEHOLDER, at)) {
    at += bytes.write(location, at);
  }
  return graph;
}

const tokenizersIn = (
  { entities, modelType }: Manifest,
  read: (name: 'tokenizer' | 'label-tokenizer') => string,
): TokenizerSources => ({
  // Models that read only images have no tokenizer.
  json: readsImages(modelType) ? '' : read('tokenizer'),
  labelJson: entities?.labelTokenizer && read('label-tokenizer'),
});

const imageGraphIn = ({ images }: Manifest, read: () => Uint8Array): Uint8Array | undefined =>
  images?.encoder && read();

function layersIn({ sentence }: Manifest, read: () => Uint8Array): VectorLayer[] | undefined {
  if (!sentence?.layers) return undefined;
  const bytes = read();
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return layersOf(sentence.layers, new Float32Array(shared));
}

function queryWeightsIn({ sparse }: Manifest, read: () => Uint8Array): Float32Array | undefined {
  return sparse?.queries === 'table' ? new Float32Array(Uint8Array.from(read()).buffer) : undefined;
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
