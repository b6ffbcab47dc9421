import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prepareTokenizer } from '#cli/packaging/model/prepare-tokenizer.ts';
import { readJsonObject } from '#cli/packaging/model/read-json.ts';
import { FIXTURES } from '../../../helpers/paths.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';
import { vocabularyIn } from '../../../helpers/tokenizer-folder.ts';

interface Case {
  readonly folder: string;
  /** Content of the JSON files in the vocabulary's folder, by name. */
  readonly files: Readonly<Record<string, unknown>>;
  readonly maxLength: number | null;
  readonly truncationSide: string;
  readonly padId: number;
  readonly ids: readonly (readonly number[])[];
}

// Results of transformers' slow tokenizers for the same files (fixtures/scripts/make_tokenizer_settings.py).
const { texts, cases } = JSON.parse(
  readFileSync(join(FIXTURES, 'golden/tokenizer-settings.json'), 'utf8'),
) as { readonly texts: readonly string[]; readonly cases: readonly Case[] };

/** The default in a build if no file sets a maximum length. */
const DEFAULT_MAX_LENGTH = 512;

const folder = useTempFolder();

test.each(cases.map((one) => ({ ...one, name: `${one.folder} ${JSON.stringify(one.files)}` })))(
  'the same settings and IDs as in transformers: $name',
  async ({ folder: family, files, maxLength, truncationSide, padId, ids }) => {
    cpSync(join(FIXTURES, 'tokenizers', family), folder(), { recursive: true });
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(join(folder(), name), JSON.stringify(content));
    }
    const { tokenizer, settings } = await prepareTokenizer(
      {
        tokenizer: vocabularyIn(folder()),
        tokenizerConfig: join(folder(), 'tokenizer_config.json'),
      },
      await readJsonObject(join(folder(), 'config.json')),
    );
    expect(await tokenizer.encode(texts)).toEqual(ids);
    expect(settings).toMatchObject({ maxLength: maxLength ?? DEFAULT_MAX_LENGTH, truncationSide, padId });
  },
);
