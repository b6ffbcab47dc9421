import { basename, dirname, resolve } from 'node:path';

/** Where a model folder comes from, as far as its path shows it. */
export interface ModelOrigin {
  /** Name of the model: that of its repository, or of its folder. */
  readonly name: string;
  /** `organization/name` and revision of a folder in the cache of Hugging Face. */
  readonly repository?: string;
  readonly revision?: string;
}

/** Reads the origin of a model from the path of its folder: `models--org--name/snapshots/<revision>` in a cache of Hugging Face. */
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
