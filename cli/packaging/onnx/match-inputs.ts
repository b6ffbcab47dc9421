import { configError } from '#contract/errors.ts';
import {
  INPUT_NAMES,
  type TokenInputName,
  type WordInputName,
  type InputName,
  LABEL_INPUT_NAMES,
  type LabelInputName,
  WORD_INPUT_NAMES,
} from '#contract/manifest.ts';
import type { ValueInfoProto } from '#gen/onnx/v1/onnx_pb.ts';
import { isInteger, BOOL, INT64, typeName } from '#core/onnx/element-types.ts';
import type { EntitySettings } from '#contract/entity-settings.ts';
import type { FixedShape } from '#contract/fixed-shape.ts';

/** The field `inputs` in the config: the graph's name for each input. */
export type InputChoice = Partial<Readonly<Record<TokenInputName, string>>>;

/** Inputs that only some models have. They have no other names. */
export type OtherInputName = Exclude<InputName, TokenInputName>;

/** Names that some exporters give to a text encoder's inputs. */
const OTHER_NAMES: Readonly<Record<TokenInputName, readonly string[]>> = {
  input_ids: ['ids', 'input', 'inputs', 'tokens', 'token_ids', 'input_word_ids'],
  attention_mask: ['mask', 'input_mask', 'attention_masks', 'attn_mask'],
  token_type_ids: ['segment_ids', 'segments', 'type_ids', 'input_type_ids', 'token_types'],
  position_ids: ['positions', 'pos_ids'],
};

/**
 * Determines what each of a graph's inputs receives: from the config, otherwise from the names that
 * exporters use. If only one input remains, it receives the token ids, because every text encoder
 * needs them. Other inputs are rejected.
 */
export function matchInputs(
  inputs: readonly ValueInfoProto[],
  chosen: InputChoice,
  file: string,
  otherInputs: readonly OtherInputName[] = [],
): MatchedInput[] {
  checkChoice(inputs, chosen, file);
  const matches = inputs.map((value) => ({
    value,
    name:
      chosenName(value, chosen) ??
      otherInputs.find((known) => known === value.name) ??
      usualName(value, chosen),
  }));
  const unknown = matches.filter(({ name }) => name === undefined);
  const [only] = unknown;
  const hasIds = matches.some(({ name }) => name === 'input_ids');
  if (!hasIds && only && unknown.length === 1 && takesIds(only.value)) only.name = 'input_ids';
  const matched = matches.map(({ value, name }) => ({
    value,
    name: name ?? refuse(value, matches, inputs, file),
  }));
  const twice = matched.find(({ name }, at) => matched.findIndex((other) => other.name === name) !== at);
  if (twice) {
    const same = matched.filter(({ name }) => name === twice.name).map(({ value }) => value);
    throw configError(
      `${file} has several inputs for \`${twice.name}\`: ${namesOf(same)}. Name each one in the config, for example \`inputs: {${twice.name}: ${same[0]?.name ?? ''}}\`.`,
    );
  }
  if (!matched.some(({ name }) => name === 'input_ids')) {
    throw configError(
      `${file} is not a text encoder: it has no input \`input_ids\` (inputs: ${namesOf(inputs) || 'none'}).`,
    );
  }
  return matched;
}

function checkChoice(inputs: readonly ValueInfoProto[], chosen: InputChoice, file: string): void {
  const missing = INPUT_NAMES.find(
    (name) => chosen[name] !== undefined && !inputs.some((input) => input.name === chosen[name]),
  );
  if (!missing) return;
  throw configError(
    `\`inputs.${missing}\` is ${JSON.stringify(chosen[missing])}, but the inputs of ${file} are ${namesOf(inputs)}. Choose one of these.`,
  );
}

const chosenName = ({ name }: ValueInfoProto, chosen: InputChoice): TokenInputName | undefined =>
  INPUT_NAMES.find((known) => chosen[known] === name);

function usualName({ name }: ValueInfoProto, chosen: InputChoice): TokenInputName | undefined {
  // Removes TensorFlow's numbers of operator outputs, as in `input_ids:0`.
  const plain = name.replace(/:0$/, '').toLowerCase();
  return INPUT_NAMES.find(
    (known) => chosen[known] === undefined && (known === plain || OTHER_NAMES[known].includes(plain)),
  );
}

/**
 * Whether an input has a generated name, such as `input.1` or `onnx::Gather_0`, and contains
 * integers with two axes.
 */
const takesIds = ({ name, type }: ValueInfoProto): boolean =>
  /^(?:input[._]?\d*|onnx::\w+|args?_?\d+|\d+)$/.test(name) &&
  isInteger(type?.tensorType?.elemType ?? 0) &&
  type?.tensorType?.shape?.dim.length === 2;

function refuse(
  value: ValueInfoProto,
  matches: readonly { readonly name: string | undefined }[],
  inputs: readonly ValueInfoProto[],
  file: string,
): never {
  const { name } = value;
  const known = OTHER_MODELS.find(([names]) => names.test(name));
  if (known) throw configError(`${file} requires the input \`${name}\`${known[1]}`);
  const entityInput = findEntityInput(name);
  if (entityInput) {
    const wayOut = WORD_INPUT_NAMES.some((known) => known === entityInput)
      ? 'which only GLiNER models have. Set `model_type` to zero_shot_ner.'
      : 'which only GLiNER models with `labels_encoder` in gliner_config.json have. Use the gliner_config.json that belongs to the model.';
    throw configError(`${file} requires the input \`${name}\`, ${wayOut}`);
  }
  const type = value.type?.tensorType;
  const couldBeFed = isInteger(type?.elemType ?? 0) && type?.shape?.dim.length === 2;
  const missing = (['input_ids', 'attention_mask'] as const).find(
    (needed) => !matches.some((match) => match.name === needed),
  );
  const wayOut =
    missing !== undefined && couldBeFed
      ? `If it is one of these, name it in the config, for example \`inputs: {${missing}: ${JSON.stringify(name)}}\`.`
      : `The inputs of ${file} are ${namesOf(inputs)}. If the model works without this input, export it without the input, as \`encoderfile export-script\` does.`;
  throw configError(
    `${file} requires the input \`${name}\`, which cannot be derived from text. A text encoder has only the inputs ${INPUT_NAMES.join(', ')}. ${wayOut}`,
  );
}

/** Inputs that other kinds of models have. */
const OTHER_MODELS: readonly (readonly [names: RegExp, problem: string])[] = [
  [
    /past|cache/i,
    ', a cache of earlier text for models that generate text. Export the model as an encoder, without a cache (`use_cache=False`).',
  ],
  [
    /^decoder_/,
    ', which belongs to a decoder that generates text. Save only the encoder with its transformers class, such as T5EncoderModel, and export it with `encoderfile export-script`.',
  ],
  [
    /pixel|image/i,
    ', as image models do. Set `model_type` to a type that reads images, or choose another model.',
  ],
  [
    /^input_(?:features|values)$|waveform|audio/i,
    ', as audio models do, but only models that read texts or images can be built. Choose another model.',
  ],
];

const namesOf = (inputs: readonly ValueInfoProto[]): string =>
  inputs.map(({ name }) => `\`${name}\``).join(', ');

/** An input of the graph, and the kind of tensor that it receives. */
export interface MatchedInput {
  readonly name: InputName;
  readonly value: ValueInfoProto;
}

/**
 * Returns the input with this name that only GLiNER models have. Each has only one name, because only the
 * gliner package exports such graphs.
 */
const findEntityInput = (name: string): WordInputName | LabelInputName | undefined =>
  [...WORD_INPUT_NAMES, ...LABEL_INPUT_NAMES].find((known) => known === name);

export const isEntityInput = ({ name }: MatchedInput): boolean => findEntityInput(name) !== undefined;

const REQUIRED: Record<EntitySettings['level'], readonly WordInputName[]> = {
  span: WORD_INPUT_NAMES,
  word: ['words_mask', 'text_lengths'],
};

const EXPORT_AGAIN = "Export the model again with the gliner package's `export_to_onnx`.";

const REQUIRED_LABELS: readonly LabelInputName[] = ['labels_input_ids', 'labels_attention_mask'];

/** The inputs that a zero_shot_ner model can have in addition to tokens. */
export const entityInputs = ({ labelTokenizer }: Pick<EntitySettings, 'labelTokenizer'>) =>
  labelTokenizer ? [...WORD_INPUT_NAMES, ...LABEL_INPUT_NAMES] : WORD_INPUT_NAMES;

/** Checks the inputs for words and labels that a zero_shot_ner model must have. */
export function checkEntityInputs(
  found: readonly MatchedInput[],
  { level, labelTokenizer }: Pick<EntitySettings, 'level' | 'labelTokenizer'>,
  fixedShape: FixedShape | undefined,
  file: string,
): void {
  const required = [...REQUIRED[level], ...(labelTokenizer ? REQUIRED_LABELS : [])];
  const missing = required.find((name) => !found.some((input) => input.name === name));
  if (missing) {
    throw configError(
      `${file} has no input \`${missing}\`, which GLiNER models with this gliner_config.json require. Use the gliner_config.json that belongs to the model.`,
    );
  }
  for (const { name, value } of found) {
    const type = value.type?.tensorType?.elemType ?? 0;
    const expected = name === 'span_mask' ? BOOL : INT64;
    if (type === expected) continue;
    throw configError(
      `${file}: input \`${name}\` has type ${typeName(type)}, but ${typeName(expected)} is required. ${EXPORT_AGAIN}`,
    );
  }
  if (!fixedShape) return;
  const { texts = 'any', tokens = 'any' } = fixedShape;
  throw configError(
    `The inputs of ${file} have the fixed shape [${texts}, ${tokens}], which model_type zero_shot_ner does not support. ${EXPORT_AGAIN}`,
  );
}

/** Minimum number of tokens. With fewer tokens, there is no space for text between the special tokens. */
const MIN_TOKENS = 3;

/** Maximum number of tokens in a run, so that a damaged file cannot exhaust the memory. */
const MAX_CELLS = 4_194_304;

/**
 * Returns the fixed sizes that a graph requires for each run, as in exports without dynamic axes;
 * undefined if it accepts any number of texts and tokens. Rejects inputs without these two axes,
 * and inputs with contradicting sizes.
 */
export function findFixedShape(inputs: readonly MatchedInput[], file: string): FixedShape | undefined {
  const shaped = inputs.flatMap(({ value }) => (value.type?.tensorType?.shape ? [value] : []));
  const other = shaped.find((value) => axesOf(value).length !== AXES.length);
  if (other) {
    throw configError(
      `Input \`${other.name}\` of ${file} has the shape ${shownShape(other)}, but [batch, sequence] is required. Export the model with inputs that have these two axes.`,
    );
  }
  const [texts, tokens] = AXES.map((_, axis) => {
    const sizes = new Set(shaped.map((value) => axesOf(value)[axis]).filter((size) => size !== undefined));
    if (sizes.size > 1) throw contradiction(shaped, file);
    return [...sizes][0];
  });
  if (tokens !== undefined && tokens < MIN_TOKENS) {
    throw configError(
      `The inputs of ${file} have the fixed shape [${texts ?? 'any'}, ${tokens}], which leaves no room for text. Export the model with dynamic axes.`,
    );
  }
  if ((texts ?? 1) * (tokens ?? 1) > MAX_CELLS) {
    throw configError(
      `The inputs of ${file} have the fixed shape [${texts ?? 'any'}, ${tokens ?? 'any'}], but a single run can have at most ${MAX_CELLS} tokens. Export the model with dynamic axes.`,
    );
  }
  if (texts === undefined && tokens === undefined) return undefined;
  return { ...(texts === undefined ? {} : { texts }), ...(tokens === undefined ? {} : { tokens }) };
}

const AXES = ['batch', 'sequence'];

/**
 * Returns the size of each axis. The size is undefined if the axis is dynamic, which some exporters
 * write as -1.
 */
/** The sizes of an input's axes; undefined for those that vary. */
export const axesOf = ({ type }: ValueInfoProto): (number | undefined)[] =>
  (type?.tensorType?.shape?.dim ?? []).map(({ dimValue }) => (dimValue > 0n ? Number(dimValue) : undefined));

const shownShape = (value: ValueInfoProto): string =>
  `[${axesOf(value)
    .map((size, axis) => size ?? (value.type?.tensorType?.shape?.dim[axis]?.dimParam || 'any'))
    .join(', ')}]`;

const contradiction = (inputs: readonly ValueInfoProto[], file: string): Error =>
  configError(
    `The inputs of ${file} have different fixed shapes: ${inputs.map((value) => `\`${value.name}\` ${shownShape(value)}`).join(', ')}. Export the model with dynamic axes.`,
  );
