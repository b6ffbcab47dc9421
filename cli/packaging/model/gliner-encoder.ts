import { configError } from '#contract/errors.ts';
import { isMapping } from '#core/yaml/describe.ts';
import { type HubReference, isRepositoryName, mainOf } from '../../config/hub-reference.ts';
import { GLINER_CONFIG } from '../exports/gliner.ts';
import { findIn, hasTokenizer } from './locate-files.ts';
import { jsonIn } from './model-listing.ts';

/**
 * Returns the repository of the encoder of a GLiNER model without tokenizer files, because the
 * gliner package takes the tokenizer from there; undefined for other folders. Encoders in local
 * folders are not read, because gliner_config.json comes from the author of the model. `name` names
 * the model in messages.
 */
export function encoderWithTokenizer(folder: string, name: string): HubReference | undefined {
  const path = findIn(folder, GLINER_CONFIG);
  if (path === undefined || hasTokenizer(folder)) return undefined;
  const fields = jsonIn(path);
  // Reported later, when the file is read completely.
  if (!isMapping(fields)) return undefined;
  refuseOtherKinds(fields, path);
  const { model_name: encoder = DEFAULT_ENCODER } = fields;
  if (typeof encoder === 'string' && isRepositoryName(encoder)) return mainOf(encoder);
  throw configError(
    `${name} has no tokenizer, and \`model_name\` in ${GLINER_CONFIG} is ${JSON.stringify(encoder)}, which is not the name of a model on the hub. Copy the tokenizer files of the model's encoder to the folder of the model.`,
  );
}

/** The encoder that the gliner package uses if a file names none. */
const DEFAULT_ENCODER = 'microsoft/deberta-v3-small';

type Fields = Readonly<Record<string, unknown>>;

/** Config members of models that need other inputs or return more than entities. */
const OTHER_KINDS: readonly (readonly [member: string, kind: string])[] = [
  ['labels_encoder', 'encodes labels with a separate encoder'],
  ['labels_decoder', 'generates labels with a decoder'],
  ['decoder_config', 'generates labels with a decoder'],
  ['relations_layer', 'finds relations'],
  ['precomputed_prompts_mode', 'has a fixed set of labels'],
];

/** Rejects models of other kinds that have the same file. */
export function refuseOtherKinds(fields: Fields, path: string): void {
  const found = OTHER_KINDS.find(([member]) => fields[member]);
  if (found) {
    const [member, kind] = found;
    throw configError(
      `${path} has \`${member}\`: the model ${kind}, which is not supported. Only GLiNER models that read labels before the text can be built.`,
    );
  }
  const splitter = fields['words_splitter_type'] ?? 'whitespace';
  if (splitter === 'whitespace') return;
  throw configError(
    `${path} has the \`words_splitter_type\` ${JSON.stringify(splitter)}, but only "whitespace" is supported. Choose another model.`,
  );
}
