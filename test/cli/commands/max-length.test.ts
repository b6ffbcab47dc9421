import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyModel } from '../../helpers/model-folder.ts';
import { TEST_CACHE } from '../../helpers/paths.ts';
import { runCliHere as runCli } from '../../helpers/cli-here.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';

const folder = useTempFolder();

/** Changes a JSON file in the copied model. */
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

test('truncation settings left over from training do not shorten texts', async () => {
  const config = copyModel(folder());
  edit('tokenizer.json', {
    truncation: { direction: 'Right', max_length: 16, strategy: 'LongestFirst', stride: 0 },
  });
  edit('tokenizer_config.json', { model_max_length: 1e30, max_length: 16 });
  expect(await maxLength(config)).toBe(128);
  rmSync(join(folder(), 'model', 'tokenizer_config.json'));
  expect(await maxLength(config)).toBe(128);
  // It is used only if no other file states a maximum length.
  edit('config.json', { max_position_embeddings: null });
  expect(await maxLength(config)).toBe(16);
});

test("`max_length` shortens texts, and cannot exceed the model's maximum", async () => {
  expect(await maxLength(copyModel(folder(), 'sentiment', { max_length: 20 }))).toBe(20);
  expect(await maxLength(copyModel(folder(), 'sentiment', { max_length: 129 }))).toBe(
    '`max_length` is 129, but config.json limits the model to 128 tokens. Set `max_length` to 128 or less.',
  );
});

test('if a model cannot run the maximum length in its files, the length is reduced to the one that works', async () => {
  const config = copyModel(folder());
  for (const file of ['config.json', 'tokenizer_config.json'])
    edit(file, { max_position_embeddings: 512, model_max_length: 512 });
  expect(await maxLength(config)).toBe(128);
  expect(await maxLength(copyModel(folder(), 'sentiment', { max_length: 128 }))).toBe(128);
});

test('a `max_length` that the model cannot run is rejected with the maximum that works', async () => {
  const config = copyModel(folder(), 'sentiment', { max_length: 200 });
  for (const file of ['config.json', 'tokenizer_config.json'])
    edit(file, { max_position_embeddings: 512, model_max_length: 512 });
  expect(await maxLength(config)).toMatch(
    /model\.onnx failed on a text of 200 tokens, which `max_length` allows: .* Set `max_length` in the config to at most 128, the model's maximum number of tokens\.$/,
  );
});

test('a model from a family with an unknown position offset is limited to the length that it can run', async () => {
  const config = copyModel(folder(), 'roberta', { model_type: 'token_classification' });
  edit('config.json', { model_type: 'data2vec-text' });
  rmSync(join(folder(), 'model', 'tokenizer_config.json'));
  const { max_position_embeddings: positions, pad_token_id: padding } = JSON.parse(
    readFileSync(join(folder(), 'model', 'config.json'), 'utf8'),
  );
  expect(await maxLength(config)).toBe(positions - padding - 1);
});

test('tokenizer_config.json is read from the folder of an explicitly listed tokenizer.json', async () => {
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
