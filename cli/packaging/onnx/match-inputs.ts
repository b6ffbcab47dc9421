import { configError } from '#contract/errors.ts';
import { INPUT_NAMES, type TokenInputName, type WordInputName } from '#contract/manifest.ts';
import type { ValueInfoProto } from '#gen/onnx/v1/onnx_pb.ts';
import { isInteger } from './element-types.ts';
import type { MatchedInput } from './matched-input.ts';
import { findWordInput } from './word-inputs.ts';

/** The `inputs` of the config: the graph's own name of each input. */
export type InputChoice = Partial<Readonly<Record<TokenInputName, string>>>;

/** Names that other exporters give to the inputs of a text encoder. */
const OTHER_NAMES: Readonly<Record<TokenInputName, readonly string[]>> = {
  input_ids: ['ids', 'input', 'inputs', 'tokens', 'token_ids', 'input_word_ids'],
  attention_mask: ['mask', 'input_mask', 'attention_masks', 'attn_mask'],
  token_type_ids: ['segment_ids', 'segments', 'type_ids', 'input_type_ids', 'token_types'],
  position_ids: ['positions', 'pos_ids'],
};

/**
 * Matches the inputs of a graph to what a text provides: by the config, else by the names that exporters use. A single input that
 * is left takes the token ids, since every text encoder needs them. Everything else is refused.
 */
export function matchInputs(
  inputs: readonly ValueInfoProto[],
  chosen: InputChoice,
  file: string,
  wordInputs: readonly WordInputName[] = [],
): MatchedInput[] {
  checkChoice(inputs, chosen, file);
  const matches = inputs.map((value) => ({
    value,
    name:
      chosenName(value, chosen) ??
      wordInputs.find((known) => known === value.name) ??
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
  // TensorFlow numbers the outputs of operators: `input_ids:0`.
  const plain = name.replace(/:0$/, '').toLowerCase();
  return INPUT_NAMES.find(
    (known) => chosen[known] === undefined && (known === plain || OTHER_NAMES[known].includes(plain)),
  );
}

/** An exporter's own name, such as `input.1` or `onnx::Gather_0`, for integers of two axes. */
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
  if (findWordInput(name)) {
    throw configError(
      `${file} requires the input \`${name}\`, which only GLiNER models have. Set \`model_type\` to zero_shot_ner.`,
    );
  }
  const type = value.type?.tensorType;
  const couldBeFed = isInteger(type?.elemType ?? 0) && type?.shape?.dim.length === 2;
  const missing = (['input_ids', 'attention_mask'] as const).find(
    (needed) => !matches.some((match) => match.name === needed),
  );
  const wayOut =
    missing !== undefined && couldBeFed
      ? `If it is one of these, name it in the config, for example \`inputs: {${missing}: ${JSON.stringify(name)}}\`.`
      : `The inputs of ${file} are ${namesOf(inputs)}. If the model works without it, export it without, as \`encoderfile export-script\` does.`;
  throw configError(
    `${file} requires the input \`${name}\`, which texts do not provide. A text encoder has only the inputs ${INPUT_NAMES.join(', ')}. ${wayOut}`,
  );
}

/** Inputs of models of other kinds. */
const OTHER_MODELS: readonly (readonly [names: RegExp, problem: string])[] = [
  [
    /past|cache/i,
    ' of earlier text, as models that generate text do. Export the model as an encoder, without a cache (`use_cache=False`).',
  ],
  [
    /^decoder_/,
    ' of a decoder, which writes text. Save the encoder alone with its class in transformers, such as T5EncoderModel, and export it with `encoderfile export-script`.',
  ],
  [/pixel|image/i, ', as models of images do, and only models of texts can be built. Choose another model.'],
  [
    /^input_(?:features|values)$|waveform|audio/i,
    ', as audio models do, and only models of texts can be built. Choose another model.',
  ],
];

const namesOf = (inputs: readonly ValueInfoProto[]): string =>
  inputs.map(({ name }) => `\`${name}\``).join(', ');
