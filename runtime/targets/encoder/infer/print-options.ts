import { configError } from '#contract/errors.ts';
import { MODEL_TYPE_NAMES } from '#contract/model-types.ts';
import { TEXT_ROLES, type TextRole } from '#contract/multi-vector.ts';
import { type Stage, STAGES } from '#contract/stages.ts';
import { NO_PROMPT } from '#core/model/applied-prompt.ts';
import { tokenOutputsAmong } from '#core/model/output-plan.ts';
import { withArticle } from '#core/text/with-article.ts';
import { type Invocation, UsageError } from '#serve/cli/command.ts';
import { wholeNumberOption } from '#serve/cli/values.ts';
import type { InferOptions } from '../engine/engine.ts';
import { TASKS } from '../tasks/index.ts';
import type { FlagReader, InferFlag, PrintModel, PrintOptions, Task } from '../tasks/task.ts';

type Flags = Readonly<Record<string, InferFlag>>;

/** The flags that only some model types support. */
export const flagsOfTypes = (): Flags =>
  Object.assign({}, ...Object.values(TASKS).map(({ flags = {} }) => flags)) as Flags;

/** Reads the options for printing results from the flags and the model's settings. */
export async function printOptions(invocation: Invocation, model: PrintModel): Promise<PrintOptions> {
  const { modelType } = model.manifest;
  const task = TASKS[modelType];
  for (const [flag, { models = typesWith(flag) }] of Object.entries(flagsOfTypes())) {
    if (invocation.value(flag) === undefined || hasFlag(task, flag)) continue;
    throw configError(
      `--${flag} requires ${models} model, but this is ${withArticle(modelType)} model. Remove the flag.`,
    );
  }
  const own = await task.printOptions?.(flagReader(invocation), model);
  return { normalize: false, pooling: 'mean', prompt: NO_PROMPT, tokens: false, ...own };
}

const hasFlag = ({ flags = {}, sharedFlags = [] }: Task<unknown>, flag: string): boolean =>
  Object.hasOwn(flags, flag) || sharedFlags.includes(flag);

/** The model types that support a flag, for messages: `a fill_mask or question_answering`. */
function typesWith(flag: string): string {
  const types = MODEL_TYPE_NAMES.filter((type) => hasFlag(TASKS[type], flag));
  const [last = '', ...others] = types.toReversed();
  return withArticle(others.length === 0 ? last : `${others.toReversed().join(', ')} or ${last}`);
}

const MAX_COUNT = 1_000_000_000;

const flagReader = (invocation: Invocation): FlagReader => ({
  text: (name) => invocation.value(name),
  texts: (name) => invocation.values(name),
  words: (name) => invocation.values(name).flatMap((list) => list.split(',').map((word) => word.trim())),
  isSet: (name) => invocation.flag(name),
  choice(name) {
    const value = invocation.value(name);
    return value === undefined ? undefined : value === 'true';
  },
  count: (name, max = MAX_COUNT) => wholeNumberOption(invocation, name, { min: 1, max }),
  share(name) {
    const value = invocation.value(name);
    if (value === undefined) return undefined;
    const number = Number(value);
    if (number >= 0 && number <= 1 && value.trim() !== '') return number;
    throw new UsageError(`--${name}: ${JSON.stringify(value)} is not a number from 0 to 1.`);
  },
});

/**
 * The role of the texts according to the flag. It is read before the model type is known, because
 * opening the tokenizer requires it.
 */
export const roleIn = (invocation: Invocation): TextRole | undefined =>
  TEXT_ROLES.find((role) => role === invocation.value('input-type'));

/** The form of the model according to the flag, which must be known before the model is opened. */
export const stageIn = (invocation: Invocation): Stage | undefined =>
  STAGES.find((stage) => stage === invocation.value('stage'));

/** The settings that determine how the model reads texts. */
export const inferOptions = ({ inputs }: Task<unknown>, options: PrintOptions): InferOptions => ({
  prompt: options.prompt,
  inputsOf: inputs && ((text) => inputs(text, options)),
  labels: options.entities?.labels,
  tokenOutputs: tokenOutputsAmong(options.outputs),
});
