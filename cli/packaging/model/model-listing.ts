import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseJsonText } from '#core/json/json-text.ts';
import { memberOf } from '#core/values/member-of.ts';

/** Folder with config.json, the tokenizer and the weights of a model that an older sentence-transformers saved. */
export const TRANSFORMER_FOLDER = '0_Transformer';

/** What is known of a model from the names of its files and from config.json. */
export interface ModelListing {
  /** Files with paths relative to the model, with slashes. */
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

/** Folders that have graphs, as on Hugging Face, and as an older sentence-transformers saved models. */
export const GRAPH_FOLDERS = ['', 'onnx/', `${TRANSFORMER_FOLDER}/`, `${TRANSFORMER_FOLDER}/onnx/`];

/** Folders that can have the config.json of a model. */
export const CONFIG_FOLDERS = ['', `${TRANSFORMER_FOLDER}/`];

/** Lists the files of a model folder and of the folders in it that have graphs. */
export const listModel = (folder: string): ModelListing => ({
  ...statedIn(folder),
  files: GRAPH_FOLDERS.flatMap((below) =>
    filesIn(join(folder, below)).map((name) => ({
      path: `${below}${name}`,
      bytes: statSync(join(folder, below, name)).size,
    })),
  ),
});

/** What the settings of a model folder state. A file that cannot be read is reported where all of it is read. */
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

function jsonIn(path: string): unknown {
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
    // Files of the Hugging Face cache are links, which can be broken.
    return existsSync(path) && statSync(path).isFile();
  };
  return readdirSync(folder).filter(isFile);
}
