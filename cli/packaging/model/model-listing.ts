import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, basename, dirname, resolve } from 'node:path';
import { parseJsonText } from '#core/json/json-text.ts';
import { memberOf } from '#core/values/member-of.ts';

/**
 * Subfolder in which older sentence-transformers versions saved a model's config.json, tokenizer
 * and weights.
 */
const TRANSFORMER_FOLDER = '0_Transformer';

/**
 * Subfolders in which sentence-transformers saves a model's first module, in some versions, or the
 * first module for documents.
 */
export const MODULE_FOLDERS = [
  TRANSFORMER_FOLDER,
  '0_StaticEmbedding',
  'document_0_MLMTransformer',
  'document_0_Transformer',
];

/** The files of a model, and the settings that determine which of its graphs can be used. */
export interface ModelListing {
  /** Files with their paths relative to the model folder, with slashes. */
  readonly files: readonly ListedFile[];
  /** `model_type` of config.json: the architecture. */
  readonly modelType: string | undefined;
  /** config.json and modules.json, if they can be read. */
  readonly config?: unknown;
  readonly modules?: unknown;
}

interface ListedFile {
  readonly path: string;
  readonly bytes: number;
}

/**
 * Folders that can contain graphs, as in repositories on Hugging Face or as saved by older
 * sentence-transformers versions.
 */
export const GRAPH_FOLDERS = [
  '',
  'onnx/',
  ...MODULE_FOLDERS.flatMap((name) => [`${name}/`, `${name}/onnx/`]),
];

/** Folders that can contain a model's config.json and its safetensors. */
export const CONFIG_FOLDERS = ['', ...MODULE_FOLDERS.map((name) => `${name}/`)];

/** Lists the files of a model folder and of its subfolders that can contain graphs. */
export const listModel = (folder: string): ModelListing => ({
  ...statedIn(folder),
  files: GRAPH_FOLDERS.flatMap((below) =>
    filesIn(join(folder, below)).map((name) => ({
      path: `${below}${name}`,
      bytes: statSync(join(folder, below, name)).size,
    })),
  ),
});

/**
 * Reads the settings for a listing from a model folder. An unreadable file is ignored here, because
 * it is reported later, when it is read completely.
 */
export function statedIn(folder: string): Pick<ModelListing, 'modelType' | 'config' | 'modules'> {
  const configs = CONFIG_FOLDERS.map((below) => jsonIn(join(folder, below, 'config.json')));
  const config = configs.find((one) => one !== undefined);
  const modelType = memberOf(config, 'model_type');
  return {
    modelType: typeof modelType === 'string' ? modelType : undefined,
    config,
    modules: jsonIn(join(folder, 'modules.json')),
  };
}

export function jsonIn(path: string): unknown {
  try {
    return parseJsonText(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return [];
  const isFile = (name: string): boolean => {
    const path = join(folder, name);
    // Skips broken links: files in the Hugging Face cache are links.
    return existsSync(path) && statSync(path).isFile();
  };
  return readdirSync(folder).filter(isFile);
}

/** The origin of a model folder, as far as its path shows it. */
export interface ModelOrigin {
  /** The name of the model's repository or folder. */
  readonly name: string;
  /** `organization/name` and revision, if the folder is in the Hugging Face cache. */
  readonly repository?: string;
  readonly revision?: string;
}

/**
 * Derives a model's origin from the path of its folder: `models--org--name/snapshots/<revision>` in
 * a Hugging Face cache.
 */
export function modelOrigin(folder: string): ModelOrigin {
  const path = resolve(folder);
  const own = basename(path) === 'onnx' ? dirname(path) : path;
  const snapshots = dirname(own);
  const [, repository] = /^models--(.+)$/.exec(basename(dirname(snapshots))) ?? [];
  if (basename(snapshots) !== 'snapshots' || repository === undefined) return { name: basename(own) };
  const parts = repository.split('--');
  return {
    name: parts.slice(parts.length > 1 ? 1 : 0).join('--'),
    repository: parts.length > 1 ? `${parts[0]}/${parts.slice(1).join('--')}` : repository,
    revision: basename(own),
  };
}
