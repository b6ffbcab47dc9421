import type { EntitySettings } from '#contract/entity-settings.ts';
import { configError } from '#contract/errors.ts';
import type { FixedShape } from '#contract/fixed-shape.ts';
import { WORD_INPUT_NAMES, type WordInputName } from '#contract/manifest.ts';
import { BOOL, INT64, typeName } from './element-types.ts';
import type { MatchedInput } from './matched-input.ts';

/** The input about words that has a name. Only the gliner package exports such graphs, so each input has one name. */
export const findWordInput = (name: string): WordInputName | undefined =>
  WORD_INPUT_NAMES.find((known) => known === name);

export const isWordInput = ({ name }: MatchedInput): boolean => findWordInput(name) !== undefined;

const REQUIRED: Record<EntitySettings['level'], readonly WordInputName[]> = {
  span: WORD_INPUT_NAMES,
  word: ['words_mask', 'text_lengths'],
};

const EXPORT_AGAIN = 'Export the model again with `export_to_onnx` of the gliner package.';

/** Checks the inputs about words that a zero_shot_ner model must have. */
export function checkWordInputs(
  found: readonly MatchedInput[],
  { level }: Pick<EntitySettings, 'level'>,
  fixedShape: FixedShape | undefined,
  file: string,
): void {
  const missing = REQUIRED[level].find((name) => !found.some((input) => input.name === name));
  if (missing) {
    throw configError(
      `${file} has no input \`${missing}\`, which a GLiNER model of this \`span_mode\` has. Use the gliner_config.json that belongs to the model.`,
    );
  }
  for (const { name, value } of found) {
    const type = value.type?.tensorType?.elemType ?? 0;
    const required = name === 'span_mask' ? BOOL : INT64;
    if (type === required) continue;
    throw configError(
      `${file}: input \`${name}\` has type ${typeName(type)}, but ${typeName(required)} is required. ${EXPORT_AGAIN}`,
    );
  }
  if (!fixedShape) return;
  const { texts = 'any', tokens = 'any' } = fixedShape;
  throw configError(
    `The inputs of ${file} have the fixed shape [${texts}, ${tokens}], which model_type zero_shot_ner does not support. ${EXPORT_AGAIN}`,
  );
}
