/** Weights in one file, or in several that an index lists. */
const SINGLE = 'model.safetensors';
const INDEX = 'model.safetensors.index.json';
const PART = /^model-[^/]*\.safetensors$/;

/** Whether a path is that of weights for which a build writes the graph. */
export const isSafetensors = (path: string): boolean =>
  path.endsWith('.safetensors') || path.endsWith('.safetensors.index.json');

export const isSafetensorsIndex = (path: string): boolean => path.endsWith('.index.json');

/** The weights of a model as the only item of a list, which is empty if it has no safetensors. */
export function safetensorsAmong(
  files: readonly { readonly path: string; readonly bytes: number }[],
): { readonly path: string; readonly name: string; readonly bytes: number }[] {
  const main = files.find(({ path }) => path === SINGLE) ?? files.find(({ path }) => path === INDEX);
  if (!main) return [];
  const bytes =
    main.path === SINGLE
      ? main.bytes
      : files.filter(({ path }) => PART.test(path)).reduce((sum, part) => sum + part.bytes, 0);
  return [{ path: main.path, name: 'safetensors', bytes }];
}
