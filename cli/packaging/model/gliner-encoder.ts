import { configError } from '#contract/errors.ts';
import { isMapping } from '#core/yaml/describe.ts';
import { type HubReference, isRepositoryName, mainOf } from '../../config/hub-reference.ts';
import { GLINER_CONFIG, LABEL_TOKENIZER_FOLDER } from '../exports/gliner.ts';
import { findIn, hasTokenizer } from './locate-files.ts';
import { jsonIn } from './model-listing.ts';
import { join } from 'node:path';

/** Which of a GLiNER model's encoders reads with a tokenizer: that of texts, or that of labels. */
export type EncoderRole = keyof typeof ROLES;

/** How errors name the encoders. `key` is the member of gliner_config.json with the name of the repository. */
export const ROLES = {
  text: { key: 'model_name', tokenizer: 'tokenizer', encoder: 'encoder', place: 'the folder of the model' },
  labels: {
    key: 'labels_encoder',
    tokenizer: 'tokenizer for labels',
    encoder: 'labels encoder',
    place: `${LABEL_TOKENIZER_FOLDER} in the folder of the model`,
  },
} as const;

/**
 * Returns the repositories of the encoders of a GLiNER model whose tokenizer files are not in its folder,
 * because the gliner package takes the tokenizers from there. Encoders in local folders are not read,
 * because gliner_config.json comes from the author of the model. `name` names the model in messages.
 */
export function encodersWithTokenizer(
  folder: string,
  name: string,
): Partial<Record<EncoderRole, HubReference>> {
  const path = findIn(folder, GLINER_CONFIG);
  if (path === undefined) return {};
  const fields = jsonIn(path);
  // Reported later, when the file is read completely.
  if (!isMapping(fields)) return {};
  const needsText = !hasTokenizer(folder);
  const needsLabels = hasLabelEncoder(fields) && !hasTokenizer(join(folder, LABEL_TOKENIZER_FOLDER));
  if (needsText || needsLabels) refuseOtherKinds(fields, path);
  return {
    ...(needsText ? { text: repositoryOf('text', fields[ROLES.text.key] ?? DEFAULT_ENCODER, name) } : {}),
    ...(needsLabels ? { labels: repositoryOf('labels', fields[ROLES.labels.key], name) } : {}),
  };
}

function repositoryOf(role: EncoderRole, encoder: unknown, name: string): HubReference {
  if (typeof encoder === 'string' && isRepositoryName(encoder)) return mainOf(encoder);
  const { key, tokenizer, encoder: noun, place } = ROLES[role];
  throw configError(
    `${name} has no ${tokenizer}, and \`${key}\` in ${GLINER_CONFIG} is ${JSON.stringify(encoder)}, which is not the name of a model on the hub. Copy the tokenizer files of the model's ${noun} to ${place}.`,
  );
}

/** The encoder that the gliner package uses if a file names none. */
const DEFAULT_ENCODER = 'microsoft/deberta-v3-small';

type Fields = Readonly<Record<string, unknown>>;

/** Whether a second encoder reads the labels. */
export const hasLabelEncoder = (fields: Fields): boolean => (fields[ROLES.labels.key] ?? null) !== null;

/** Config members of models that need other inputs or return more than entities. */
const OTHER_KINDS: readonly (readonly [member: string, kind: string])[] = [
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
      `${path} has \`${member}\`: the model ${kind}, which is not supported. Only GLiNER models that find entities of the types in a request can be built.`,
    );
  }
  const { model_type: kind } = fields;
  if (kind === 'gliner_streaming_span') {
    throw configError(
      `${path} has the \`model_type\` ${JSON.stringify(kind)}: the model reads a text in parts with a decoder, which is not supported. Choose another model.`,
    );
  }
  const splitter = fields['words_splitter_type'] ?? 'whitespace';
  if (splitter === 'whitespace') return;
  throw configError(
    `${path} has the \`words_splitter_type\` ${JSON.stringify(splitter)}, but only "whitespace" is supported. Choose another model.`,
  );
}
