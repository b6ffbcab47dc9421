import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { configError } from '../../../runtime/contract/errors.ts';
import { ACCEPTED_TOKENIZERS, VOCABULARY_FILES } from '../tokenizer/vocabulary-kind.ts';
import type { ModelSource } from '../../config/build-config.ts';

export interface ModelFiles {
  readonly weights: string;
  /** Path of tokenizer.json, or of a vocabulary that it is made from. */
  readonly tokenizer: string;
  readonly modelConfig: string;
  readonly tokenizerConfig: string | undefined;
}

/** Finds the files of a model; each missing file has its own message. */
export function locateModelFiles(model: ModelSource): ModelFiles {
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
    return { ...model, tokenizerConfig: tokenizerConfig ?? neighbor(model.tokenizer) };
  }
  const { folder } = model;
  if (!isFolder(folder))
    throw configError(`No such directory: ${folder}. \`path\` must be the folder of the model.`);
  const weights = join(folder, 'model.onnx');
  const modelConfig = join(folder, 'config.json');
  requireFile(
    weights,
    () => `No such file: model.onnx (searched in ${folder}). Export the model to ONNX first.`,
  );
  requireFile(modelConfig, () => `Could not locate model config at path ${modelConfig}.`);
  const tokenizer = locateTokenizer(folder);
  return {
    weights,
    modelConfig,
    tokenizer,
    tokenizerConfig: neighbor(tokenizer),
  };
}

/** Path of tokenizer.json, or of the vocabulary of a model that has none. */
function locateTokenizer(folder: string): string {
  const names = ['tokenizer.json', ...Object.values(VOCABULARY_FILES).flat()];
  const found = names.map((name) => join(folder, name)).find((path) => existsSync(path) && !isFolder(path));
  if (found !== undefined) return found;
  throw configError(
    `Could not locate tokenizer at path ${join(folder, 'tokenizer.json')}. The model needs one of: ${ACCEPTED_TOKENIZERS}.`,
  );
}

/** The second tokenizer file, which contains the maximum length of a text. */
function neighbor(tokenizer: string): string | undefined {
  const path = join(dirname(tokenizer), 'tokenizer_config.json');
  return existsSync(path) ? path : undefined;
}

function requireFile(path: string, message: () => string): void {
  if (!existsSync(path)) throw configError(message());
  if (isFolder(path)) throw configError(`${path} is a folder. Set it to a file.`);
}

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();
