import { join } from 'node:path';
import { configError } from '#contract/errors.ts';
import { LABEL_TOKENIZER_FOLDER } from '../exports/gliner.ts';
import { type EntityEncoder, readEntityEncoder } from './entity-encoders.ts';
import { hasLabelEncoder, ROLES } from './gliner-encoder.ts';
import { type ModelFiles, tokenizerIn } from './locate-files.ts';
import { type PreparedTokenizer, prepareTokenizer } from './prepare-tokenizer.ts';

/** The second encoder of a GLiNER model, which reads the labels of a request. */
export interface LabelEncoderFiles extends EntityEncoder {
  readonly tokenizer: PreparedTokenizer;
}

/**
 * Reads the second encoder that gliner_config.json names; undefined if it names none. `path` is the path of
 * this file.
 */
export async function readLabelEncoder(
  fields: Readonly<Record<string, unknown>>,
  path: string,
  { folder, labelFolder }: Pick<ModelFiles, 'folder' | 'labelFolder'>,
): Promise<LabelEncoderFiles | undefined> {
  if (!hasLabelEncoder(fields)) return undefined;
  const name = fields[ROLES.labels.key];
  const own = join(folder, LABEL_TOKENIZER_FOLDER);
  const files = tokenizerIn(own) ?? (labelFolder === undefined ? undefined : tokenizerIn(labelFolder));
  if (files === undefined) {
    throw configError(
      `${path}: \`${ROLES.labels.key}\` is ${JSON.stringify(name)}, but ${own} has no tokenizer files. Copy the tokenizer files of this encoder to it.`,
    );
  }
  const encoder = readEntityEncoder(fields['labels_encoder_config'], labelFolder, name);
  return { ...encoder, tokenizer: await prepareTokenizer(files, encoder.limits) };
}
