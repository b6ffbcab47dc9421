import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { configError } from '#contract/errors.ts';
import { firstInvalidLine } from '#platform/utf8-line.ts';
import { chooseFamily } from '../tokenizer/choose-family.ts';
import { convertTokenizer, type Vocabulary } from '../tokenizer/convert.ts';
import type { Family } from '../tokenizer/family.ts';
import { VOCABULARY_FILES, vocabularyKind } from '../tokenizer/vocabulary-kind.ts';
import type { ModelConfig } from './model-config.ts';
import { readJson } from './read-json.ts';
import type { TokenizerConfig, TokenizerJson } from './tokenizer-settings.ts';

export interface ReadTokenizer {
  /** Content of tokenizer.json, read or converted. */
  readonly content: TokenizerJson;
  /** Where the content comes from, for messages: `tokenizer.json`, or `vocab.txt (BertTokenizer)`. */
  readonly origin: string;
  /** The padding token of a converted tokenizer; other files name that of a tokenizer.json. */
  readonly padToken?: string | undefined;
}

/** Reads a tokenizer.json, or converts another vocabulary and the files next to it. */
export async function readTokenizer(
  path: string,
  tokenizerConfig: TokenizerConfig,
  modelConfig: ModelConfig,
): Promise<ReadTokenizer> {
  if (vocabularyKind(basename(path)) === undefined) {
    return { content: await readJson<TokenizerJson>(path), origin: basename(path) };
  }
  const folder = dirname(path);
  const family = chooseFamily({ tokenizerConfig, modelConfig });
  const vocabulary = await readVocabulary(family, path);
  const { content, padToken } = convertTokenizer(family, vocabulary, {
    tokenizerConfig: { ...tokenizerConfig },
    specialTokensMap: await optional(join(folder, 'special_tokens_map.json')),
    addedTokens: await optional(join(folder, 'added_tokens.json')),
  });
  return { content, origin: `${basename(vocabulary.path)} (${family.name}Tokenizer)`, padToken };
}

const optional = async (path: string): Promise<Readonly<Record<string, unknown>>> =>
  existsSync(path) ? await readJson<Record<string, unknown>>(path) : {};

async function readVocabulary(family: Family, found: string): Promise<Vocabulary> {
  const path = vocabularyPath(family, found);
  if (family.kind === 'sentencepiece') {
    return { kind: family.kind, path, bytes: new Uint8Array(await readFile(path)) };
  }
  if (family.kind === 'wordpiece') return { kind: family.kind, path, text: await readText(path) };
  const mergesPath = join(dirname(path), basename(path, '.json').replace('vocab', 'merges') + '.txt');
  if (!existsSync(mergesPath)) {
    throw configError(
      `${dirname(path)} has ${basename(path)}, but no ${basename(mergesPath)}. The tokenizer needs both files.`,
    );
  }
  const content = await readJson<Record<string, unknown>>(path);
  return { kind: family.kind, path, content, mergesPath, merges: await readText(mergesPath) };
}

/** A folder can have vocabularies of several kinds; the family decides which one counts. */
function vocabularyPath(family: Family, found: string): string {
  if (vocabularyKind(basename(found)) === family.kind) return found;
  const names = VOCABULARY_FILES[family.kind];
  const name = names.find((candidate) => existsSync(join(dirname(found), candidate)));
  if (name !== undefined) return join(dirname(found), name);
  throw configError(
    `A ${family.name}Tokenizer needs ${names.join(' or ')}, but the model has only ${basename(found)}. Check \`tokenizer_class\` in tokenizer_config.json, or \`model_type\` in config.json.`,
  );
}

async function readText(path: string): Promise<string> {
  const bytes = await readFile(path);
  const invalid = firstInvalidLine(bytes);
  if (invalid === undefined) return bytes.toString('utf8');
  throw configError(`${path} is not UTF-8 on line ${invalid}. Restore the original file.`);
}
