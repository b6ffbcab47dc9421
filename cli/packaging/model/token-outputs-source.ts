import type { BuildConfig } from '../../config/build-config.ts';
import type { TokenHeads } from '../onnx/token-outputs.ts';
import type { ModelFiles } from './locate-files.ts';
import type { FoundFamily } from './pooling-families.ts';
import { HEAD_FILES, headFilesIn, readTokenHeads } from './token-heads.ts';

/** What a model can return for each token, before its graph is read. */
export interface TokenOutputsSource {
  /** Whether outputs of the graph for each token are kept. */
  readonly areKept: boolean;
  /** Layers to add to the graph. */
  readonly heads: TokenHeads | undefined;
  /** Why files of the model are not used, one sentence each. */
  readonly problems: readonly string[];
}

/** How FlagEmbedding computes dense vectors of a model with these files, unless other files state it. */
export const M3_FAMILY: FoundFamily = {
  name: 'bge-m3',
  pooling: 'cls',
  normalize: true,
  prompts: {},
  from: `from ${HEAD_FILES.join(' and ')}`,
};

/** Reads the layers next to a sentence_embedding model; only vectors of whole texts can be merged from windows, or transformed. */
export async function tokenOutputsSource(
  { modelType, windows, transform }: BuildConfig,
  { folder }: Pick<ModelFiles, 'folder'>,
  hiddenSize: unknown,
): Promise<TokenOutputsSource> {
  if (modelType !== 'sentence_embedding') return { areKept: false, heads: undefined, problems: [] };
  const found = headFilesIn(folder);
  const missing = HEAD_FILES.find((name) => !found.includes(name));
  const obstacle = windows ? '`long_texts: windows` is set' : transform && 'a `transform` is set';
  const reason = obstacle ?? (missing && `${missing} is missing`);
  return {
    areKept: obstacle === undefined,
    heads: reason === undefined ? await readTokenHeads(folder, hiddenSize) : undefined,
    problems: found.length > 0 && reason !== undefined ? [unused(reason)] : [],
  };
}

/** The warning about a model that would otherwise have more outputs. */
export const unused = (reason: string): string =>
  `The model returns dense vectors only, not those of ${HEAD_FILES.join(' and ')}, because ${reason}.`;
