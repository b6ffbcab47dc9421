import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { execa } from 'execa';
import { expect } from 'vitest';
import { expectClose } from '../helpers/close.ts';
import { copyModules, readGoldenModules } from '../helpers/golden-modules.ts';
import { readGoldenSentences } from '../helpers/golden-sentences.ts';
import { copyModel, writeConfig } from '../helpers/model-folder.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import { runCliHere as runCli } from '../helpers/cli-here.ts';
import type { Answer } from '../helpers/run-process.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { runExecutable } from './arms.ts';
import { verifies, verifiesOnce } from './verifies.ts';
import { builtExecutable } from '../helpers/built.ts';

const folder = useTempFolder();
const { texts, variants } = readGoldenSentences();
/** The saved settings of the fixture. */
const [asSaved, query] = [null, 'query'].map((name) =>
  variants.find(({ normalize, prompt_name }) => normalize && prompt_name === name),
);
const norm = (vector: readonly number[]): number => Math.hypot(...vector);

verifies('sentence:infer', async (arm) => {
  const { exitCode, stdout, stderr } = await arm.run('sentence', ['infer', '--', ...printable]);
  const { embeddings, metadata, ...rest } = JSON.parse(stdout);
  expect({ exitCode, metadata, rest }).toEqual({ exitCode: 0, metadata: null, rest: {} });
  expect(stderr).toBe("Warning: 3 of 30 texts were truncated to 64 tokens, this model's maximum.\n");
  expect(embeddings).toHaveLength(printable.length);
  for (const [at, text] of printable.entries()) {
    expectClose(embeddings[at], asSaved?.vectors[texts.indexOf(text)], text);
  }
});

/** A command line cannot contain the null character. */
const printable = texts.filter((text) => !text.includes('\0'));

verifies('sentence:infer-options', async (arm) => {
  const run = async (...flags: string[]): Promise<number[]> =>
    JSON.parse((await arm.run('sentence', ['infer', texts[0] ?? '', ...flags])).stdout).embeddings[0];
  expectClose(await run('--prompt-name=query'), query?.vectors[0], '--prompt-name');
  expect(await run('--prompt-name=')).toEqual(await run());
  expectClose(await run('--prompt=search for: '), query?.vectors[0], '--prompt');
  expect(await run('--prompt=')).toEqual(await run());
  expect(norm(await run('--normalize=false'))).not.toBeCloseTo(1, 3);
  const cut = await run('--dimensions=5');
  expect(cut).toHaveLength(5);
  expect(norm(cut)).toBeCloseTo(1, 5);
  const problems: [args: string[], exitCode: number, message: RegExp][] = [
    [
      ['--prompt-name=nope'],
      1,
      /^Error: --prompt-name must be one of query, passage, document, not "nope"\n$/,
    ],
    [
      ['--instruction=Find texts'],
      1,
      /^Error: --instruction requires a model with a prompt such as "Instruct: \{task\}\\nQuery: ", which this model does not have\. Remove it, or set the whole prompt with --prompt\.\n$/,
    ],
    [['--dimensions=33'], 2, /^Error: --dimensions: "33" is not a whole number from 1 to 32\./],
    [['--dimensions=x'], 2, /^Error: --dimensions: "x" is not a whole number/],
    [
      ['--pooling=mean'],
      1,
      /^Error: --pooling requires an embedding model, but this is a sentence_embedding model\./,
    ],
  ];
  for (const [flags, exitCode, message] of problems) {
    const answer = await arm.run('sentence', ['infer', 'x', ...flags]);
    expect(answer).toMatchObject({ exitCode, stdout: '' });
    expect(answer.stderr).toMatch(message);
  }
  for (const flag of ['--dimensions=2', '--prompt-name=query', '--prompt=a', '--instruction=a']) {
    const { exitCode, stderr } = await arm.run('embedder', ['infer', 'x', flag]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      / requires a sentence_embedding(?:, image_embedding or image_text_embedding)? model, but this is an embedding model\. Remove the flag\.\n$/,
    );
  }
});

verifiesOnce('sentence:infer-file', async () => {
  const input = join(folder(), 'texts.jsonl');
  const output = join(folder(), 'vectors.jsonl');
  writeFileSync(input, texts.map((text) => JSON.stringify(text)).join('\n'));
  const infer = (...flags: string[]): Promise<Answer> =>
    runExecutable(builtExecutable('sentence'), ['infer', '--input', input, '--output', output, ...flags]);
  expect(await infer('--prompt-name=query')).toMatchObject({ exitCode: 0, stdout: '' });
  const lines = readFileSync(output, 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(texts.length);
  for (const [at, line] of lines.entries()) {
    const { index, embedding } = JSON.parse(line) as { index: number; embedding: number[] };
    expect(index).toBe(at);
    expectClose(embedding, query?.vectors[at], texts[at] ?? '');
  }
});

verifiesOnce('sentence:infer-resume', async () => {
  const output = join(folder(), 'vectors.jsonl');
  const args = ['infer', '--input', '-', '--output', output];
  const input = Array.from({ length: 1000 }, (_, at) => `number ${at}\n`).join('');
  const firstOf = (file: string): number[] =>
    (JSON.parse(readFileSync(file, 'utf8').split('\n', 1)[0] ?? '') as { embedding: number[] }).embedding;
  const path = builtExecutable('sentence');
  const vector = async (...flags: string[]): Promise<number[] | undefined> => {
    const { stdout } = await runExecutable(path, ['infer', 'number 0', ...flags]);
    return (JSON.parse(stdout) as { embeddings: number[][] }).embeddings[0];
  };

  const killed = execa(path, [...args, '--prompt-name=query'], {
    reject: false,
    env: { ENCODERFILE_CACHE_DIR: TEST_CACHE },
  });
  // It stays open, so the run cannot finish.
  killed.stdin.write(input);
  await hasLines(`${output}.partial`);
  killed.kill('SIGKILL');
  await killed;
  expectClose(firstOf(`${output}.partial`), await vector('--prompt-name=query'), 'what the killed run left');

  expect((await runExecutable(path, args, { input })).exitCode).toBe(0);
  expectClose(firstOf(output), await vector(), 'the run without a prompt');
  expect(readFileSync(output, 'utf8').trimEnd().split('\n')).toHaveLength(1000);
});

async function hasLines(path: string): Promise<void> {
  while ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) await setTimeout(2);
}

verifies('sentence:inspect', async (arm) => {
  const { stdout } = await arm.run('sentence', ['inspect']);
  expect(stdout).toMatch(/^Vector +mean of all tokens, L2-normalized$/m);
  expect(stdout).toMatch(/^Prompts +query, passage$/m);
  const { model } = JSON.parse((await arm.run('sentence', ['inspect', '--json'])).stdout);
  expect(model.sentence).toMatchObject({ pooling: 'mean', normalize: true, prompts: { query: {} } });
});

verifies('sentence:modules', async (arm) => {
  const { models, texts: inputs } = readGoldenModules();
  const gtr = models.find(({ name }) => name === 'gtr');
  const { stdout } = await arm.run('sentence-modules', ['infer', '--', ...inputs]);
  const { embeddings } = JSON.parse(stdout) as { embeddings: number[][] };
  for (const [at, vector] of embeddings.entries()) expectClose(vector, gtr?.vectors[at], inputs[at] ?? '');
  const table = (await arm.run('sentence-modules', ['inspect'])).stdout;
  expect(table).toMatch(/^Type +sentence_embedding, output last_hidden_state, 40 dimensions, float32$/m);
  expect(table).toMatch(/^Vector +mean of all tokens, Dense 32 to 40, L2-normalized$/m);
  expect(table).toMatch(/^Similarity +euclidean$/m);
  expect((await arm.run('sentence-modules', ['verify'])).stdout).toMatch(/^layers +\S+ \w+ +ok/m);
});

verifiesOnce('sentence:older-folder', async () => {
  copyModel(folder(), 'sentence');
  const model = join(folder(), 'model');
  mkdirSync(join(model, '0_Transformer'));
  for (const name of [
    'config.json',
    'model.onnx',
    'sentence_bert_config.json',
    'tokenizer.json',
    'tokenizer_config.json',
  ])
    renameSync(join(model, name), join(model, '0_Transformer', name));
  rmSync(join(model, 'encoderfile.yml'));
  const output = join(folder(), 'older.encoder');
  const args = ['build', model, '-o', output, '--cache-dir', TEST_CACHE];
  expect(await runCli(args, { cwd: folder() })).toMatchObject({ exitCode: 0 });
  const { stdout } = await runExecutable(output, ['infer', texts[0] ?? '']);
  expectClose(JSON.parse(stdout).embeddings[0], asSaved?.vectors[0], 'a model in 0_Transformer');
  const { model: manifest } = JSON.parse((await runExecutable(output, ['inspect', '--json'])).stdout);
  expect(manifest).toMatchObject({
    tokenizer: { maxLength: 64 },
    source: { graph: '0_Transformer/model.onnx' },
  });
});

const validate = (fields: Record<string, unknown>): Promise<Answer> => {
  const config = writeConfig(folder(), { model_type: 'sentence_embedding', ...fields });
  return runCli(['validate', '-f', config, '--json'], { cwd: folder(), env: { XDG_CACHE_HOME: TEST_CACHE } });
};
const save = (file: string, content: unknown): void =>
  writeFileSync(join(folder(), 'model', file), JSON.stringify(content));

verifiesOnce('sentence:build', async () => {
  copyModel(folder(), 'sentence');
  const settings = async (fields: Record<string, unknown> = {}): Promise<Record<string, unknown>> =>
    JSON.parse((await validate(fields)).stdout).manifest.sentence;
  expect(await settings()).toMatchObject({ pooling: 'mean', includePrompt: true, normalize: true });
  save('modules.json', [{ type: 'x.Transformer' }, { type: 'x.Pooling', path: 'pool' }]);
  expectRefusal(await validate({}), /modules\.json has a Pooling module, but pool/);
  save('modules.json', [{ type: 'x.Transformer' }, { type: 'x.Pooling', path: '1_Pooling' }]);
  save('1_Pooling/config.json', { pooling_mode: 'lasttoken', include_prompt: false });
  save('config_sentence_transformers.json', {
    prompts: { query: 'find: ', document: null },
    default_prompt_name: 'query',
    truncate_dim: 7,
  });
  expect(await settings()).toEqual({
    pooling: 'last',
    includePrompt: false,
    normalize: false,
    dimensions: 7,
    prompts: { query: { text: 'find: ', tokens: expect.any(Number) }, document: { text: '', tokens: 0 } },
    defaultPrompt: 'query',
  });
  const own = { pooling: 'max', normalize: true, dimensions: 9, prompts: { mine: 'my ' } };
  expect(await settings({ ...own, default_prompt_name: 'mine' })).toMatchObject({
    pooling: 'max',
    normalize: true,
    dimensions: 9,
    prompts: { mine: { text: 'my ' } },
    defaultPrompt: 'mine',
  });
  expect(await settings(own)).not.toHaveProperty('defaultPrompt');
});

verifiesOnce('sentence:build-refused', async () => {
  copyModel(folder(), 'sentence');
  const refusals: [fields: Record<string, unknown>, message: RegExp][] = [
    [{ dimensions: 33 }, /`dimensions` is 33, but the model's vectors have only 32\./],
    [{ pooling: 'none' }, /`pooling: none` requires the output sentence_embedding.*Remove `pooling`/],
    [
      { default_prompt_name: 'x' },
      /`default_prompt_name` is \\"x\\", but it must be one of the prompts \(query, passage\)/,
    ],
    [
      { prompts: { long: 'a '.repeat(80) } },
      /The prompt `long` has 81 tokens, which leaves no room for text within the model's maximum of 64/,
    ],
    [{ model_type: 'embedding', pooling: 'mean' }, /pooling: requires model_type sentence_embedding/],
    [
      { pooling: 'weighted' },
      /expected one of mean, cls, max, last, none, mean_sqrt_len_tokens, weightedmean; found/,
    ],
  ];
  for (const [fields, message] of refusals) expectRefusal(await validate(fields), message);
  save('1_Pooling/config.json', { pooling_mode: ['cls', 'median'] });
  expectRefusal(
    await validate({}),
    /has an unsupported pooling mode median\. Set `pooling` in .*encoderfile\.yml/,
  );
  expect((await validate({ pooling: 'cls' })).exitCode).toBe(0);
  save('modules.json', [{ type: 'x.Transformer' }, { type: 'x.Pooling' }, { type: 'x.Dense' }]);
  expectRefusal(await validate({}), /modules\.json has an unsupported module Dense/);
  copyModules(folder(), 'labse');
  rmSync(join(folder(), 'model', '2_Dense', 'model.safetensors'));
  expectRefusal(
    await validate({}),
    /2_Dense has no model\.safetensors or pytorch_model\.bin; download the model files again\. Set `pooling` in /,
  );
});

function expectRefusal({ exitCode, stdout }: Answer, message: RegExp): void {
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(message);
}
