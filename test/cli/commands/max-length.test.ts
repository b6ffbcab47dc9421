import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyModel } from '../../helpers/model-folder.ts';
import { TEST_CACHE } from '../../helpers/paths.ts';
import { runCliHere as runCli } from '../../helpers/cli-here.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';

const folder = useTempFolder();

/** Changes a JSON file of the copied model. */
function edit(file: string, change: Record<string, unknown>): void {
  const path = join(folder(), 'model', file);
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...change }));
}

/** The maximum length that `validate` finds, or its error. */
async function maxLength(config: string): Promise<number | string> {
  const answer = await runCli(['validate', '-f', config, '--json', '--cache-dir', TEST_CACHE]);
  const { manifest, error } = JSON.parse(answer.stdout);
  expect(answer.exitCode).toBe(manifest ? 0 : 1);
  return manifest ? manifest.tokenizer.maxLength : error.message;
}

test('a truncation that training left in tokenizer.json does not shorten texts', async () => {
  const config = copyModel(folder());
  edit('tokenizer.json', {
    truncation: { direction: 'Right', max_length: 16, strategy: 'LongestFirst', stride: 0 },
  });
  edit('tokenizer_config.json', { model_max_length: 1e30, max_length: 16 });
  expect(await maxLength(config)).toBe(128);
  rmSync(join(folder(), 'model', 'tokenizer_config.json'));
  expect(await maxLength(config)).toBe(128);
  // Where nothing else says how long a text can be, it is the best there is.
  edit('config.json', { max_position_embeddings: null });
  expect(await maxLength(config)).toBe(16);
});

test('`max_length` shortens texts, up to what the model takes', async () => {
  expect(await maxLength(copyModel(folder(), 'sentiment', { max_length: 20 }))).toBe(20);
  expect(await maxLength(copyModel(folder(), 'sentiment', { max_length: 129 }))).toBe(
    '`max_length` is 129, but config.json limits the model to 128 tokens. Set `max_length` to at most that.',
  );
});

test('a model that cannot take a text of its maximum length is refused', async () => {
  const config = copyModel(folder());
  for (const file of ['config.json', 'tokenizer_config.json'])
    edit(file, { max_position_embeddings: 512, model_max_length: 512 });
  expect(await maxLength(config)).toMatch(
    /model\.onnx failed on a text of 512 tokens, which its config files allow: .* Set `max_length` in the config to the maximum number of tokens of the model\.$/,
  );
  expect(await maxLength(copyModel(folder(), 'sentiment', { max_length: 128 }))).toBe(128);
});

test('files named one by one: tokenizer_config.json next to tokenizer.json is read', async () => {
  const config = copyModel(folder(), 'sentiment', {
    path: {
      model_config_path: 'model/config.json',
      model_weights_path: 'model/model.onnx',
      tokenizer_path: 'model/tokenizer.json',
    },
  });
  edit('tokenizer_config.json', { model_max_length: 33 });
  expect(await maxLength(config)).toBe(33);
});
