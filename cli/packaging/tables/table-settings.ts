import { isCount } from '#core/numbers/is-count.ts';
import { codePoints } from '#core/text/code-points.ts';
import type { Evidence } from '../model/evidence.ts';
import type { ModelFiles } from '../model/locate-files.ts';
import { readModelConfig } from '../model/model-config.ts';
import type { TokenizerDefaults } from '../model/prepare-tokenizer.ts';
import { isTable } from './is-table.ts';
import { findTable } from './find-table.ts';

/**
 * Maximum number of tokens per text of a model without a limit. Texts are limited by their number of
 * characters, so that this number is never reached by default.
 */
export const UNLIMITED = 1_000_000;
/** The limit of model2vec for models whose config.json states none. */
const MODEL2VEC_LENGTH = 512;

/** Tokenizer settings of a static model. The vectors of special tokens are not part of the mean. */
export async function tableTokenizer(files: ModelFiles): Promise<TokenizerDefaults> {
  const { isModel2vec } = await findTable(files.weights);
  if (!isModel2vec) return { addsSpecialTokens: false, usualLength: UNLIMITED };
  // null means that there is no limit.
  const { max_length: length = MODEL2VEC_LENGTH } = await readModelConfig(files);
  return {
    addsSpecialTokens: false,
    maxLength: isCount(length) && length > 0 ? length : UNLIMITED,
    limitCharacters: (maxLength, tokens) =>
      maxLength < UNLIMITED ? maxLength * medianLength(tokens) : undefined,
  };
}

/** model2vec reads only as many characters as tokens of the median length would have. */
function medianLength(tokens: readonly string[]): number {
  const lengths = tokens.map(codePoints).sort((one, other) => one - other);
  const [below = 0, above = 0] = [(lengths.length - 1) / 2, lengths.length / 2].map(
    (at) => lengths[Math.floor(at)],
  );
  return Math.floor((below + above) / 2);
}

/** Whether the evidence shows a static model. */
export const isTableEvidence = ({ config, modules }: Evidence): boolean =>
  isTable({ config, modules: modules.map((type) => ({ type })) });
