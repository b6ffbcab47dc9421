import { posix } from 'node:path';
import { configError } from '#contract/errors.ts';
import { formatBytes } from '#core/model/progress.ts';
import { type GraphVariant, graphVariants, isDataOf, withoutGraph } from '../model/graph-variants.ts';
import { PROCESSOR_FILES } from '../images/find-processor.ts';
import { GLINER_CONFIG, isGlinerAmong, LABEL_TOKENIZER_FOLDER } from '../exports/gliner.ts';
import { isDocument } from '../model/model-documents.ts';
import { HEAD_FILES } from '../model/token-outputs.ts';
import { MODULE_FOLDERS, type ModelListing } from '../model/model-listing.ts';
import { QUERY_WEIGHT_FILES } from '../model/query-weights.ts';
import { ROUTER_FILE } from '../model/routes.ts';
import { VOCABULARY_FILES } from '../tokenizer/vocabulary-kind.ts';
import type { HubFile } from './repository-files.ts';

export interface ChosenFiles {
  readonly graph: GraphVariant;
  readonly variants: readonly GraphVariant[];
  readonly files: readonly HubFile[];
}

/** The file list of a repository. */
interface HubListing extends ModelListing {
  readonly files: readonly HubFile[];
}

/**
 * Maximum size of files that a build reads into memory, so that an unexpectedly large file cannot
 * exhaust it.
 */
const MAX_READ_BYTES = 512 * 1024 * 1024;

const MODEL_FILES = [
  'config.json',
  'modules.json',
  'sentence_bert_config.json',
  'config_sentence_transformers.json',
  'chat_template.jinja',
  'artifact.metadata',
  'onnx_config.json',
  ...PROCESSOR_FILES,
  ...HEAD_FILES,
  GLINER_CONFIG,
  ROUTER_FILE,
  ...QUERY_WEIGHT_FILES,
];
const TOKENIZER_CONFIG = 'tokenizer_config.json';
/** Files that are only needed with a vocabulary, because tokenizer.json already contains what they state. */
const TOKEN_FILES = ['special_tokens_map.json', 'added_tokens.json', 'merges.txt'];
/** Folders with models in other formats, whose settings are not read. */
const OTHER_FOLDERS: ReadonlySet<string> = new Set(['onnx', 'openvino', 'coreml', 'tflite']);

/**
 * Chooses the files that a build needs from a repository: one graph with its weights, the
 * tokenizer, settings and documents.
 */
export function chooseFiles(
  listing: HubListing,
  repository: string,
  choose: (variants: readonly GraphVariant[]) => GraphVariant,
): ChosenFiles {
  const { files } = listing;
  const variants = graphVariants(listing);
  if (variants.length === 0) throw withoutGraph(listing, `hf:${repository}`, repository);
  const graph = choose(variants);
  const byPath = new Map(files.map((file) => [file.path, file]));
  const folder = graph.path.slice(0, graph.path.lastIndexOf('/') + 1);
  const read = [
    ...MODEL_FILES.flatMap((name) => findIn(byPath, name) ?? []),
    ...tokenizerFiles(byPath),
    ...(isGlinerAmong(files) ? tokenizerFiles(byPath, [`${LABEL_TOKENIZER_FOLDER}/`]) : []),
    ...(byPath.has('modules.json') ? files.filter(({ path }) => isModuleFile(path)) : []),
    ...files.filter(({ path }) => isDocument(path)),
  ];
  for (const file of read) refuseLarge(file, repository);
  const weights = files.filter(
    ({ path }) =>
      path === graph.path ||
      (path.startsWith(folder) && isDataOf(path.slice(folder.length), graph.path.slice(folder.length))),
  );
  return { graph, variants, files: [...new Set([...read, ...weights])] };
}

type Files = ReadonlyMap<string, HubFile>;

/** Whether a file is a tokenizer or a vocabulary, in any folder. */
export const isTokenizerFile = (path: string): boolean =>
  ['tokenizer.json', ...Object.values(VOCABULARY_FILES).flat()].includes(posix.basename(path));

/** Folders that can contain a model's files: some exporters write all of them to `onnx/`. */
const FOLDERS = ['', 'onnx/', ...MODULE_FOLDERS.map((name) => `${name}/`)];

function findIn(files: Files, name: string, folders = FOLDERS): HubFile | undefined {
  const folder = folders.find((below) => files.has(below + name));
  return folder === undefined ? undefined : files.get(folder + name);
}

/**
 * A vocabulary is only read if there is no tokenizer.json, and the files that complete it only from
 * the same folder.
 */
export function tokenizerFiles(files: Files, folders = FOLDERS): HubFile[] {
  const fast = findIn(files, 'tokenizer.json', folders);
  const names = Object.values(VOCABULARY_FILES).flat();
  const old = fast
    ? []
    : folders.map((folder) => names.flatMap((name) => files.get(`${folder}${name}`) ?? []));
  const found = fast ? [fast] : (old.find((list) => list.length > 0) ?? []);
  const [{ path } = { path: '' }] = found;
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const others = [TOKENIZER_CONFIG, ...(fast ? [] : TOKEN_FILES)];
  return [...found, ...others.flatMap((name) => files.get(`${folder}${name}`) ?? [])];
}

/** The settings of a module, and the tokenizer and the weights of tokens of a module for queries. */
function isModuleFile(path: string): boolean {
  const [folder = '', name = '', ...deeper] = path.split('/');
  if (deeper.length > 0 || OTHER_FOLDERS.has(folder)) return false;
  return name === 'config.json' || (folder.startsWith('query_') && QUERY_FILES.has(name));
}

const QUERY_FILES: ReadonlySet<string> = new Set(['tokenizer.json', ...QUERY_WEIGHT_FILES]);

/** Rejects a file that is too large for a build to read. */
export function refuseLarge({ path, bytes }: HubFile, repository: string): void {
  if (bytes <= MAX_READ_BYTES) return;
  throw configError(
    `${path} of hf:${repository} has ${formatBytes(bytes)}, but the maximum is ${formatBytes(MAX_READ_BYTES)}. Choose another model.`,
  );
}
