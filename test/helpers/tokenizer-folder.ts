import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonObject } from '#cli/packaging/model/read-json.ts';
import { type ReadTokenizer, readTokenizer } from '#cli/packaging/model/prepare-tokenizer.ts';
import { VOCABULARY_FILES } from '#cli/packaging/tokenizer/vocabulary-kind.ts';

/** Reads or converts the tokenizer in a folder as in a build. The folder does not have to contain weights. */
export async function tokenizerOf(folder: string): Promise<ReadTokenizer> {
  const json = async (name: string): Promise<Record<string, unknown>> => {
    const path = join(folder, name);
    return existsSync(path) ? await readJsonObject<Record<string, unknown>>(path) : {};
  };
  return await readTokenizer(
    vocabularyIn(folder),
    await json('tokenizer_config.json'),
    await json('config.json'),
  );
}

/** Path of the tokenizer.json or the vocabulary in a folder. */
export function vocabularyIn(folder: string): string {
  const names = ['tokenizer.json', ...Object.values(VOCABULARY_FILES).flat()];
  return join(folder, names.find((name) => existsSync(join(folder, name))) ?? 'tokenizer.json');
}
