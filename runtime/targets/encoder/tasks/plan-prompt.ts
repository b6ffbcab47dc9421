import { inputError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import {
  planVector,
  type PromptLabel,
  type VectorPlan,
  type VectorRequest,
} from '#core/model/vector-plan.ts';
import type { TokenizedText } from '#core/model/tokenized-text.ts';

/** The settings and the tokenizer of a model. */
export interface PromptModel {
  readonly manifest: Manifest;
  readonly tokenize: (
    texts: readonly string[],
    addSpecialTokens: boolean,
  ) => Promise<readonly Pick<TokenizedText, 'ids' | 'truncated' | 'windows' | 'details'>[]>;
}

/** Plans a request, and counts the tokens of a prompt that the request itself contains. */
export function planPrompt(
  model: PromptModel,
  request: VectorRequest,
  label?: PromptLabel,
): VectorPlan | Promise<VectorPlan> {
  const plan = planVector(model.manifest, request, label);
  return plan.isFree ? withTokens(plan, model) : plan;
}

/**
 * As for the prompts of the model, whose tokens the build counts: the tokens up to the end of the
 * prompt, including tokens that the tokenizer puts before a text, must leave room for a text.
 */
async function withTokens(
  plan: VectorPlan,
  { manifest: { tokenizer, sentence }, tokenize }: PromptModel,
): Promise<VectorPlan> {
  const [text] = await tokenize([plan.prompt.text], true);
  if (!text?.details) throw new Error('tokenized without details');
  const { ids, details, truncated, windows } = text;
  const tokens = ids.length - (details.special.at(-1) === 1 ? 1 : 0);
  if (truncated || windows !== undefined || tokens >= tokenizer.maxLength) {
    throw inputError(
      `The prompt is too long: it leaves no room for a text within the ${tokenizer.maxLength} tokens of this model. Shorten it.`,
    );
  }
  if (sentence?.includePrompt !== false) return plan;
  return { ...plan, options: { ...plan.options, skip: tokens } };
}
