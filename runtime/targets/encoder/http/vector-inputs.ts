import { inputError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import { readsTextsAndImages } from '#contract/model-types.ts';
import { planVector, type VectorPlan, type VectorRequest } from '#core/model/vector-plan.ts';
import type { EngineInput, ServingEngine } from '../engine/serving.ts';
import { textOrImageInput } from '../engine/text-or-image.ts';
import { planPrompt, type PromptModel } from '../tasks/plan-prompt.ts';
import type { TextOrImageMember, VectorInput } from '../schemas/openai.ts';

type Input = VectorInput;

/** The inputs of a request for vectors: a text, token ids, or a list of either. */
export function embeddingInputs(input: Input, { modelType }: Pick<Manifest, 'modelType'>): EngineInput[] {
  if (isTokenIds(input)) return [{ ids: input }];
  const list = isList(input) ? input : [input];
  const readsBoth = readsTextsAndImages(modelType);
  return list.flatMap((element, at) => {
    if (Array.isArray(element)) return { ids: element };
    if (readsBoth) return textOrImageInput(element, at);
    if (element instanceof Uint8Array) return { image: element };
    return {
      text: typeof element === 'string' ? element : 'image' in element ? element.image : element.text,
    };
  });
}

const isList = (input: Input): input is Exclude<Input, TextOrImageMember> => Array.isArray(input);
const isTokenIds = (input: Input): input is number[] => isList(input) && typeof input[0] === 'number';

/** These APIs L2-normalize vectors by default, even if the model's other routes do not. */
export function planEmbeddings(
  inputs: readonly EngineInput[],
  { normalize, dimensions, prompt_name, task, prompt, instruction }: VectorRequest,
  model: PromptModel,
): VectorPlan | Promise<VectorPlan> {
  const wishes = { normalize: normalize ?? true, dimensions };
  const prompts = { prompt_name, prompt, instruction };
  if (!inputs.some((input) => 'ids' in input)) return planPrompt(model, { ...wishes, task, ...prompts });
  const [field] = Object.entries(prompts).find(([, value]) => value) ?? [];
  if (field !== undefined) {
    throw inputError(
      `${field} requires text inputs, but the input contains token ids. Prepend the token ids of the prompt instead.`,
    );
  }
  const { manifest } = model;
  // The ids contain the prompt, so only the adapter of the task is missing.
  return planVector(manifest, { ...wishes, prompt_name: '', task: task ?? manifest.sentence?.defaultPrompt });
}

/** The suggestion for callers whose client sends token ids from its own tokenizer by default. */
const WAY_OUT = "Send texts; in LangChain's OpenAIEmbeddings, set check_embedding_ctx_length=False.";

/**
 * Rejects token ids from another tokenizer, whose vectors would be meaningless: ids that do not
 * exist in this model's vocabulary, and lists without the special token that starts or ends every
 * text. `member` is the name of the input field in the request.
 */
export function checkTokenIds(
  input: Input,
  member: string,
  { manifest, boundary }: Pick<ServingEngine, 'manifest' | 'boundary'>,
): void {
  if (!isList(input)) return;
  const maximum = manifest.tokenizer.vocabularySize - 1;
  for (const { ids, place } of listsOf(input, member)) {
    const index = ids.findIndex((id) => id > maximum);
    if (index >= 0) {
      throw inputError(
        `${place}/${index} must be at most ${maximum}, not ${ids[index]}, which comes from another tokenizer. ${WAY_OUT}`,
      );
    }
    if (!boundary || ids.length === 0) continue;
    const { side, id, token } = boundary;
    const found = ids.at(side === 'start' ? 0 : -1);
    if (found === id) continue;
    throw inputError(
      `${place} must ${side} with ${id} (${token}), this model's special token, not ${found}. The ids come from another tokenizer, or special tokens are missing. ${WAY_OUT}`,
    );
  }
}

/**
 * Example token ids for the OpenAPI document. The model accepts them, because they include its
 * special token, but they do not represent a meaningful text.
 */
export function exampleIds({ manifest, boundary }: Pick<ServingEngine, 'manifest' | 'boundary'>): number[] {
  const token = Math.min(5, manifest.tokenizer.vocabularySize - 1);
  if (!boundary) return [token];
  return boundary.side === 'start' ? [boundary.id, token] : [token, boundary.id];
}

interface IdList {
  readonly ids: readonly number[];
  readonly place: string;
}

function listsOf(input: Exclude<Input, TextOrImageMember>, member: string): IdList[] {
  const single = input.filter((element) => typeof element === 'number');
  if (single.length > 0) return [{ ids: single, place: member }];
  return input.flatMap((ids, index) => (Array.isArray(ids) ? [{ ids, place: `${member}/${index}` }] : []));
}
