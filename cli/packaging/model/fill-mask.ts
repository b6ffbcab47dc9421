import { configError } from '#contract/errors.ts';
import type { MaskToken } from '#contract/manifest.ts';
import type { LoadedTokenizer } from '../../adapters/tokenizers.ts';
import { writeMaskedLogits } from '../architectures/write-graph.ts';
import { GraphAppender } from '#core/onnx/graph-appender.ts';
import { MASKED_OUTPUT, selectMasked } from '../onnx/mask-positions.ts';
import { findNamed } from '../onnx/select-output.ts';
import type { BuildType } from './build-type.ts';
import { compareTokenScores } from './compare.ts';
import { clue } from './evidence.ts';
import type { ModelFiles } from './locate-files.ts';
import { readModelConfig } from './model-config.ts';
import type { GraphRules } from './prepared-graph.ts';
import { readJsonObject } from './read-json.ts';
import { tokenText } from './tokenizer-settings.ts';

/** Build rules for masked language models, which predict words for masked tokens. */
export const fillMaskBuild: BuildType<'fill_mask'> = {
  guess({ architectures, outputs }) {
    const masked = architectures.find((architecture) => architecture.endsWith('ForMaskedLM'));
    // Not as certain as other classes, because many exports of masked language models lack the head.
    const hasHead = outputs.length === 0 || outputs.some(({ name }) => name === 'logits');
    return clue('head', masked !== undefined && hasHead, `config.json names ${masked}`);
  },
  read: async ({ files }) => ({
    modelConfig: await readModelConfig(files),
    async withTokenizer({ tokenizer }) {
      const mask = await findMaskToken(files, tokenizer);
      return {
        write: writeMaskedLogits(mask.id),
        rules: maskRules(mask.id),
        withGraph: ({ width }) => ({
          compare: compareTokenScores(width),
          facts: () => ({ modelType: 'fill_mask', mask }),
        }),
      };
    },
  }),
};

const maskRules = (maskId: number): GraphRules => ({
  // Graphs that the build has written already return the logits of masked tokens only.
  chooseOutput: ({ output }) =>
    findNamed(output, [MASKED_OUTPUT.name]) === undefined ? undefined : MASKED_OUTPUT,
  /** Reduces the logits of all tokens to those of masked tokens. */
  extend({ proto, graph, output }) {
    if (output.name === MASKED_OUTPUT.name) return {};
    const g = new GraphAppender(proto, graph, 'masked');
    g.finish(selectMasked(g, output.name, maskId), MASKED_OUTPUT);
    return { output: MASKED_OUTPUT };
  },
  /** Masks the token in the middle of a calibration text. */
  calibrate: (ids) => ids.with(Math.floor(ids.length / 2), maskId),
});

/** The mask tokens of nearly all models. */
const USUAL = ['[MASK]', '<mask>'];

/** Finds the token that marks a word to predict: in tokenizer_config.json, otherwise in the vocabulary. */
async function findMaskToken(
  { tokenizerConfig, tokenizer: path }: ModelFiles,
  { idOf }: Pick<LoadedTokenizer, 'idOf'>,
): Promise<MaskToken> {
  const stated =
    tokenizerConfig === undefined
      ? undefined
      : tokenText((await readJsonObject<{ mask_token?: unknown }>(tokenizerConfig)).mask_token);
  for (const token of stated === undefined ? USUAL : [stated]) {
    const id = idOf(token);
    if (id !== undefined) return { id, token };
  }
  throw configError(
    `${path} has no mask token (${stated ?? USUAL.join(' or ')}), which model_type fill_mask requires. Choose another \`model_type\`, or set \`mask_token\` in tokenizer_config.json.`,
  );
}
