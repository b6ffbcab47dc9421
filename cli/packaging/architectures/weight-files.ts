import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CONFIG_FOLDERS } from '../model/model-listing.ts';

/** The names of files with weights: a single file, or an index and the files that it lists. */
interface WeightFiles {
  /** The value of `variant` that selects them. */
  readonly name: string;
  readonly single: string;
  readonly index: string;
  readonly part: RegExp;
}

const SAFETENSORS: WeightFiles = {
  name: 'safetensors',
  single: 'model.safetensors',
  index: 'model.safetensors.index.json',
  part: /^model-[^/\\]*\.safetensors$/,
};
/** State dicts of torch. Other files of this type contain the state of a training, and are never read. */
const TORCH: WeightFiles = {
  name: 'pytorch',
  single: 'pytorch_model.bin',
  index: 'pytorch_model.bin.index.json',
  part: /^pytorch_model-[^/\\]*\.bin$/,
};

/** Whether a path names weights for which a build writes the graph. */
export const isStoredWeights = (path: string): boolean =>
  /\.(?:safetensors|bin)(?:\.index\.json)?$/.test(path);

export const isWeightIndex = (path: string): boolean => path.endsWith('.index.json');

/** Whether a file has torch's format instead of that of safetensors. */
export const isTorchFile = (path: string): boolean => /\.(?:bin|pt|pth)$/.test(path);

export interface ListedWeights {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
}

type Files = readonly { readonly path: string; readonly bytes: number }[];

/** A list with the model's safetensors file or index; empty if it has neither. */
export const safetensorsAmong = (files: Files): ListedWeights[] => weightsAmong(files, SAFETENSORS);

/** The same for the state dict of torch. */
export const torchWeightsAmong = (files: Files): ListedWeights[] => weightsAmong(files, TORCH);

function weightsAmong(files: Files, { name, single, index, part }: WeightFiles): ListedWeights[] {
  const paths = CONFIG_FOLDERS.flatMap((folder) => [`${folder}${single}`, `${folder}${index}`]);
  const path = paths.find((one) => files.some((file) => file.path === one));
  if (path === undefined) return [];
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const isPart = (file: string): boolean =>
    path.endsWith(single) ? file === path : file.startsWith(folder) && part.test(file.slice(folder.length));
  const bytes = files.filter((file) => isPart(file.path)).reduce((sum, file) => sum + file.bytes, 0);
  return [{ path, name, bytes }];
}

/** Names of the weights of a sentence-transformers module, in order of preference. */
const MODULE_WEIGHTS = [SAFETENSORS.single, TORCH.single];

/** Names the weight file of a module for messages. */
export const MODULE_WEIGHTS_TEXT = MODULE_WEIGHTS.join(' or ');

/** The weight file among the files of a module; undefined if it has none. */
export const moduleWeightsAmong = (has: (name: string) => boolean): string | undefined =>
  MODULE_WEIGHTS.find(has);

/** Path of the weight file in a folder. */
export function weightFileIn(folder: string): string | undefined {
  const name = moduleWeightsAmong((one) => existsSync(join(folder, one)));
  return name === undefined ? undefined : join(folder, name);
}
