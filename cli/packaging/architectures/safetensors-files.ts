import { CONFIG_FOLDERS } from '../model/model-listing.ts';

/** File names of a model's weights: a single file, or an index and the files that it lists. */
const SINGLE = 'model.safetensors';
const INDEX = 'model.safetensors.index.json';
const PART = /^model-[^/]*\.safetensors$/;

/** Whether a path names weights for which a build writes the graph. */
export const isSafetensors = (path: string): boolean =>
  path.endsWith('.safetensors') || path.endsWith('.safetensors.index.json');

export const isSafetensorsIndex = (path: string): boolean => path.endsWith('.index.json');

/** A list with the model's safetensors file or index; empty if it has neither. */
export function safetensorsAmong(
  files: readonly { readonly path: string; readonly bytes: number }[],
): { readonly path: string; readonly name: string; readonly bytes: number }[] {
  const paths = CONFIG_FOLDERS.flatMap((folder) => [`${folder}${SINGLE}`, `${folder}${INDEX}`]);
  const path = paths.find((one) => files.some((file) => file.path === one));
  if (path === undefined) return [];
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const isWeights = (file: string): boolean =>
    path.endsWith(SINGLE) ? file === path : file.startsWith(folder) && PART.test(file.slice(folder.length));
  const bytes = files.filter((file) => isWeights(file.path)).reduce((sum, file) => sum + file.bytes, 0);
  return [{ path, name: 'safetensors', bytes }];
}
