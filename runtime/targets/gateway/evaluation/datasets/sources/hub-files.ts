import { inputError } from '#contract/errors.ts';

/** A file in a repository at a commit. */
export interface RemoteDatasetFile {
  readonly path: string;
  readonly size: number;
  /** SHA-256 of a large file, otherwise the Git hash. */
  readonly hash: string;
}

interface Wanted {
  readonly source: string;
  readonly config: string | undefined;
  readonly split: string | undefined;
  /** Whether the files are the hub's own Parquet conversion. */
  readonly isConverted: boolean;
}

interface Chosen {
  readonly config: string;
  readonly split: string;
  readonly files: readonly RemoteDatasetFile[];
}

/** `config/split/0000.parquet` in the hub's conversion; the first ones of a large dataset are in `partial-split`. */
const CONVERTED = /^([^/]+)\/(?:partial-)?([^/]+)\/\d+\.parquet$/;
/** `data/train-00000-of-00002.parquet`, `config/test.parquet` and the like. */
const OWN = /^(?:([^/]+)\/)?([A-Za-z\d_.]+?)(?:-\d+-of-\d+(?:-[\da-f]+)?|-\d+)?\.parquet$/;
const DEFAULT_CONFIG = 'default';

/**
 * Selects a split's Parquet files. Throws an InputError if there are several configs or splits and none was
 * specified.
 */
export function chooseHubFiles(files: readonly RemoteDatasetFile[], wanted: Wanted): Chosen {
  const found = files.flatMap((file) => {
    const [, folder, split] = (wanted.isConverted ? CONVERTED : OWN).exec(file.path) ?? [];
    if (split === undefined) return [];
    const config =
      folder === undefined || (!wanted.isConverted && folder === 'data') ? DEFAULT_CONFIG : folder;
    return [{ config, split, file }];
  });
  if (found.length === 0) {
    throw inputError(
      `${wanted.source} has no Parquet files at this revision.${wanted.isConverted ? '' : ' Omit `hf.revision` to use the files that the hub generates.'}`,
    );
  }
  const config = chooseOne(
    'config',
    wanted,
    found.map((one) => one.config),
  );
  const ofConfig = found.filter((one) => one.config === config);
  const split = chooseOne(
    'split',
    wanted,
    ofConfig.map((one) => one.split),
  );
  const chosen = ofConfig.filter((one) => one.split === split).map(({ file }) => file);
  return { config, split, files: chosen.toSorted((one, other) => (one.path < other.path ? -1 : 1)) };
}

function chooseOne(kind: 'config' | 'split', wanted: Wanted, all: readonly string[]): string {
  const names = [...new Set(all)].toSorted();
  const { [kind]: name, source } = wanted;
  const [only] = names;
  const chosen = name ?? (names.length === 1 ? only : names.find((one) => one === DEFAULT_CONFIG));
  if (chosen !== undefined && names.includes(chosen)) return chosen;
  const problem = name === undefined ? `has several ${kind}s` : `has no ${kind} ${JSON.stringify(name)}`;
  throw inputError(`${source} ${problem}. Set \`hf.${kind}\` to one of: ${names.slice(0, 50).join(', ')}.`);
}
