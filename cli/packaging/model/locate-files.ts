import { existsSync, statSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { configError } from '#contract/errors.ts';
import { isStoredWeights } from '../architectures/weight-files.ts';
import { ACCEPTED_TOKENIZERS, VOCABULARY_FILES } from '../tokenizer/vocabulary-kind.ts';
import type { ModelSource } from '../../config/build-config.ts';
import { chooseGraphIn } from './graph-variants.ts';
import { jsonIn, MODULE_FOLDERS, statedIn } from './model-listing.ts';
import { isTable } from '../tables/is-table.ts';

export interface FoundFiles {
  /** The folder with the model's documents and settings. */
  readonly folder: string;
  /** Path of the ONNX graph, or of the safetensors for which the build writes a graph. */
  readonly weights: string;
  /**
   * Path of the graph relative to the folder, with slashes; undefined if the config contains a path
   * for each file.
   */
  readonly graph: string | undefined;
  /**
   * Path of config.json or gliner_config.json; undefined if the folder contains neither. Models
   * with labels require it.
   */
  readonly modelConfig: string | undefined;
}

/** The files of a model that reads texts. */
export interface ModelFiles extends FoundFiles {
  /** Path of tokenizer.json, or of a vocabulary to convert to tokenizer.json. */
  readonly tokenizer: string;
  readonly tokenizerConfig: string | undefined;
  /** The folder with the tokenizer, if the model uses that of another model. */
  readonly tokenizerFolder?: string | undefined;
  /** The folder with the tokenizer of the second encoder, if the model uses that of another model. */
  readonly labelFolder?: string | undefined;
  /** Whether the weights are the table of a static model. */
  readonly isTable?: boolean;
}

/** A model's settings file. */
export interface SettingsFile {
  readonly name: string;
  /** The error for a missing settings file; undefined if the file is optional. */
  readonly missing: (path: string) => Error;
}

/** Finds the files of a model. The error for a missing file explains how to get that file. */
export function locateModelFiles(model: ModelSource, settings: Partial<SettingsFile> = {}): ModelFiles {
  if (model.kind === 'files') {
    requireFile(
      model.weights,
      () => `No such file: ${basename(model.weights)} (searched at ${model.weights}).`,
    );
    requireFile(model.modelConfig, () => `Could not locate model config at path ${model.modelConfig}.`);
    requireFile(model.tokenizer, () => `Could not locate tokenizer at path ${model.tokenizer}.`);
    const { tokenizerConfig } = model;
    if (tokenizerConfig)
      requireFile(tokenizerConfig, () => `Could not locate tokenizer config at path ${tokenizerConfig}.`);
    return {
      ...model,
      isTable: isStoredWeights(model.weights) && isTable({ config: jsonIn(model.modelConfig) }),
      folder: dirname(model.modelConfig),
      graph: undefined,
      tokenizerConfig: tokenizerConfig ?? neighbor(model.tokenizer),
    };
  }
  const { folder, tokenizerFolder, labelFolder } = model;
  const found = locateGraph(model, settings);
  const tokenizer = locateTokenizer(folder, found.weights, tokenizerFolder);
  const isStatic = isTable(statedIn(folder));
  return {
    ...found,
    tokenizer,
    // Libraries for static models only read tokenizer.json.
    tokenizerConfig: isStatic ? undefined : neighbor(tokenizer),
    tokenizerFolder,
    labelFolder,
    isTable: isStatic,
  };
}

/** Finds the graph and the settings in a model's folder. */
export function locateGraph(
  { folder, variant }: Extract<ModelSource, { readonly kind: 'folder' }>,
  { name = 'config.json', missing }: Partial<SettingsFile>,
): FoundFiles {
  if (!isFolder(folder))
    throw configError(`No such directory: ${folder}. \`path\` must be the model folder.`);
  const { path: graph } = chooseGraphIn(folder, variant);
  const weights = join(folder, graph);
  requireFile(weights, () => `No such file: ${graph} (searched in ${folder}).`);
  const modelConfig = findIn(folder, name);
  if (modelConfig === undefined && missing) throw missing(join(folder, name));
  return {
    folder: modelConfig === undefined ? folder : settingsFolder(dirname(modelConfig)),
    weights,
    graph,
    modelConfig,
  };
}

/** Returns the folder with the settings of sentence-transformers, given the folder of config.json. */
const settingsFolder = (folder: string): string =>
  MODULE_FOLDERS.includes(basename(folder)) ? dirname(folder) : folder;

/**
 * Path of tokenizer.json. If a model has none, path of its vocabulary, or of the tokenizer that is
 * named after the graph, or of the tokenizer in another folder.
 */
function locateTokenizer(folder: string, weights: string, other: string | undefined): string {
  const found = findTokenizer(folder);
  if (found !== undefined) return found;
  const [named, ...others] = findNamedTokenizers(weights);
  if (named !== undefined && others.length === 0) return named;
  if (named !== undefined) {
    throw configError(
      `${folder} has no tokenizer.json, but ${others.length + 1} other tokenizers: ${[named, ...others].map((path) => basename(path)).join(', ')}. Choose one: set \`path\` in the config to a mapping of files.`,
    );
  }
  const elsewhere = other === undefined ? undefined : findTokenizer(other);
  if (elsewhere !== undefined) return elsewhere;
  throw configError(
    `Could not locate model config at path ${join(folder, 'tokenizer.json')}. The model needs one of: ${ACCEPTED_TOKENIZERS}.`,
  );
}

/** Whether a model has any tokenizer of its own. */
export const hasTokenizer = (folder: string): boolean =>
  findTokenizer(folder) !== undefined ||
  (isFolder(folder) && findNamedTokenizers(join(folder, 'model.onnx')).length > 0);

const findTokenizer = (folder: string): string | undefined =>
  findIn(folder, 'tokenizer.json') ?? findVocabulary(folder);

/** The tokenizer files in the folder of an encoder; undefined if it has none. */
export function tokenizerIn(folder: string): Pick<ModelFiles, 'tokenizer' | 'tokenizerConfig'> | undefined {
  const tokenizer = findTokenizer(folder);
  return tokenizer === undefined ? undefined : { tokenizer, tokenizerConfig: neighbor(tokenizer) };
}

/** A file that a build can convert to tokenizer.json. */
export function findVocabulary(folder: string): string | undefined {
  const names = Object.values(VOCABULARY_FILES).flat();
  return names.map((name) => findIn(folder, name)).find((path) => path !== undefined);
}

/**
 * Finds a file in a model folder or related folders. Some exporters write all files to `onnx/`,
 * others only the graphs.
 */
export function findIn(folder: string, name: string): string | undefined {
  const below = join(folder, 'onnx', name);
  const above = join(folder, '..', name);
  const isGraphFolder = basename(resolve(folder)) === 'onnx';
  const modules = MODULE_FOLDERS.map((module) => join(folder, module, name));
  return [join(folder, name), below, ...(isGraphFolder ? [above] : []), ...modules].find(
    (path) => existsSync(path) && !isFolder(path),
  );
}

/** The second tokenizer file, which contains the maximum text length. */
function neighbor(tokenizer: string): string | undefined {
  const path = join(dirname(tokenizer), 'tokenizer_config.json');
  return existsSync(path) ? path : undefined;
}

function requireFile(path: string, message: () => string): void {
  if (!existsSync(path)) throw configError(message());
  if (isFolder(path)) throw configError(`${path} is a folder. Set the path to a file.`);
}

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

/**
 * Paths of the `X-tokenizer.json` files next to a graph, for packages that contain an `X.onnx`.
 * Returns only the file with the graph's name if there is one, otherwise all. If there are several,
 * it is unknown which one belongs to the graph.
 */
export function findNamedTokenizers(graph: string): string[] {
  const folder = dirname(graph);
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .sort();
  const own = basename(graph).replace(/\.onnx$/, SUFFIX);
  return (names.includes(own) ? [own] : names).map((name) => join(folder, name));
}

const SUFFIX = '-tokenizer.json';
