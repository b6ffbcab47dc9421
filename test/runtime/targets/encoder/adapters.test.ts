import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEngine } from '#encoder/engine/engine.ts';
import { openServingEngine } from '#encoder/engine/serving-engine.ts';
import { runCliHere as runCli } from '#test/helpers/cli-here.ts';
import { largestDifference } from '#test/helpers/close.ts';
import { DEFAULT_LIMITS } from '#test/helpers/default-limits.ts';
import { FIXTURES, TEST_CACHE } from '#test/helpers/paths.ts';
import { WORDS_OF_IDS } from '#test/helpers/words-of-ids.ts';
import { appAround, type OpenApp } from './http/open-app.ts';

interface Golden {
  readonly ids: readonly (readonly number[])[];
  /** The vectors of all tokens of each text by task; those without a task have an empty name. */
  readonly tasks: Readonly<Record<string, readonly (readonly (readonly number[])[])[]>>;
}
const { 'jina-v3-tasks': golden } = JSON.parse(
  readFileSync(join(FIXTURES, 'golden', 'architectures-remote.json'), 'utf8'),
) as { readonly 'jina-v3-tasks': Golden };
const TASKS = Object.keys(golden.tasks);
const TEXTS = golden.ids.map((ids) => ids.map((id) => `t${id}`).join(' '));
const LIMIT = 1e-5;
const QUERY = 'retrieval.query';
const PASSAGE = 'retrieval.passage';

/** The vector of each text: the mean of the vectors of its tokens. */
const meansOf = (task: string): number[][] =>
  (golden.tasks[task] ?? []).map((tokens) =>
    (tokens[0] ?? []).map(
      (_, at) => tokens.reduce((sum, token) => sum + (token[at] ?? 0), 0) / tokens.length,
    ),
  );

/** The largest difference from the vectors of a task; Infinity if their numbers differ. */
const differenceFrom = (actual: readonly (readonly number[])[], task: string): number =>
  largestDifference(actual.flat(), meansOf(task).slice(0, actual.length).flat());

const folder = mkdtempSync(join(tmpdir(), 'encoderfile-adapters-'));
const SOURCE = join(FIXTURES, 'architectures', 'jina-v3-tasks-hidden');

/** Writes a model folder and a config; returns the path of the config. */
function writeModel(name: string, settings: object, change: object = {}): string {
  const model = join(folder, name);
  cpSync(SOURCE, model, { recursive: true });
  const config = join(model, 'config.json');
  writeFileSync(
    config,
    JSON.stringify({ ...(JSON.parse(readFileSync(config, 'utf8')) as object), ...change }),
  );
  writeFileSync(join(model, 'tokenizer.json'), JSON.stringify(WORDS_OF_IDS));
  mkdirSync(join(model, '1_Pooling'));
  writeFileSync(join(model, '1_Pooling', 'config.json'), JSON.stringify({ pooling_mode_mean_tokens: true }));
  // Exports of these models have an input for the task of all texts in a run, so they are not used.
  writeFileSync(join(model, 'model.onnx'), '');
  const file = join(folder, `${name}.yml`);
  writeFileSync(
    file,
    JSON.stringify({
      encoderfile: { name, path: `./${name}`, model_type: 'sentence_embedding', ...settings },
    }),
  );
  return file;
}

async function build(name: string, settings: object, change: object = {}) {
  const file = writeModel(name, settings, change);
  const args = ['build', '--no-build', '-q', '-f', file, '--cache-dir', TEST_CACHE];
  const { exitCode, stderr } = await runCli(args, { cwd: folder });
  return { exitCode, stderr, path: join(folder, `${name}.assets`) };
}

async function open(name: string, settings: object): Promise<OpenApp> {
  const { stderr, path } = await build(name, settings);
  if (stderr !== '') throw new Error(stderr);
  return appAround(await openServingEngine(path, { limits: DEFAULT_LIMITS, workers: 1, threads: 1 }));
}

afterAll(() => rmSync(folder, { recursive: true }));

describe('a model with an adapter for each task', () => {
  let app: OpenApp;
  beforeAll(async () => {
    app = await open('all', {});
  });
  afterAll(() => app.close());

  const embed = async (body: object): Promise<number[][]> => {
    const response = await app.post('/v1/embeddings', { normalize: false, ...body });
    const answer = (await response.json()) as { data?: { embedding: number[] }[]; error?: unknown };
    if (!answer.data) throw new Error(JSON.stringify(answer.error));
    return answer.data.map(({ embedding }) => embedding);
  };
  const predict = async (body: object): Promise<number[][]> => {
    const response = await app.post('/predict', { normalize: false, ...body });
    const { results } = (await response.json()) as { results: { embedding: number[] }[] };
    return results.map(({ embedding }) => embedding);
  };

  test('returns the vectors of each task, with the names of prompts and of tasks', async () => {
    for (const task of TASKS) {
      // Without the prompt, the tokens are those of the reference.
      const wishes = task === '' ? {} : { task };
      expect(differenceFrom(await embed({ input: TEXTS, prompt: '', ...wishes }), task)).toBeLessThan(LIMIT);
      expect(differenceFrom(await embed({ input: TEXTS, prompt_name: '', ...wishes }), task)).toBeLessThan(
        LIMIT,
      );
      expect(
        differenceFrom(await predict({ inputs: TEXTS, prompt: '', prompt_name: task }), task),
      ).toBeLessThan(LIMIT);
      expect(differenceFrom(await embed({ input: golden.ids, ...wishes }), task)).toBeLessThan(LIMIT);
    }
  });

  test('requests for different tasks share runs', async () => {
    const answers = await Promise.all(
      [...TASKS, ...TASKS].map(async (task) => ({
        task,
        vectors: await embed({ input: TEXTS, prompt: '', ...(task === '' ? {} : { task }) }),
      })),
    );
    for (const { task, vectors } of answers) expect(differenceFrom(vectors, task)).toBeLessThan(LIMIT);
  });

  test('a task also selects its prompt', async () => {
    const input = ['t20 t21 t22'];
    const withPrompt = await embed({ input: ['t7 t9 t20 t21 t22'], prompt: '', task: QUERY });
    expect(await embed({ input, task: QUERY })).toEqual(withPrompt);
    expect(await embed({ input, prompt_name: QUERY })).toEqual(withPrompt);
    expect(await embed({ input, task: QUERY, prompt_name: PASSAGE })).toEqual(
      await embed({ input: ['t11 t20 t21 t22'], prompt: '', task: QUERY }),
    );
    expect(await embed({ input, task: QUERY, prompt: 't7 t9 ' })).toEqual(withPrompt);
  });

  test('the parts of a text for late chunking have the adapter of the task', async () => {
    const [text = ''] = TEXTS;
    const [whole] = await embed({ input: [text], prompt: '', task: 'separation', late_chunking: true });
    expect(differenceFrom([whole ?? []], 'separation')).toBeLessThan(LIMIT);
  });

  test('the uses of texts in the API of Cohere select a task', async () => {
    for (const [input_type, task] of [
      ['search_query', QUERY],
      ['search_document', PASSAGE],
      ['clustering', 'separation'],
      ['classification', 'classification'],
    ] as const) {
      const response = await app.post('/v2/embed', {
        texts: ['t20 t21'],
        input_type,
        embedding_types: ['float'],
      });
      const { embeddings } = (await response.json()) as { embeddings: { float: number[][] } };
      expect(embeddings.float).toEqual(await embed({ input: ['t20 t21'], task, normalize: true }));
    }
  });

  test('an unknown task is rejected', async () => {
    const response = await app.post('/v1/embeddings', { input: ['t7'], task: 'retrieval' });
    expect(response.status).toBe(422);
    expect(await response.text()).toContain('retrieval.query');
  });

  test('`infer` selects the adapter by the name of the prompt', async () => {
    const engine = await openEngine(join(folder, 'all.assets'), { threads: () => 1, prepack: false });
    try {
      const inferences = await engine.infer(TEXTS, { prompt: { text: '', adapter: 4 } });
      for (const [at, { values }] of inferences.entries()) {
        const expected = (golden.tasks['text-matching']?.[at] ?? []).flat();
        expect(largestDifference([...values], expected)).toBeLessThan(LIMIT);
      }
    } finally {
      await engine.close();
    }
  });
});

test('a build for one task adds its adapter to the weights', async () => {
  for (const [at, task] of TASKS.filter((name) => name !== '').entries()) {
    const app = await open(`only-${at}`, { task });
    try {
      expect(app.engine.manifest.inputs).not.toContain('adapter_ids');
      const response = await app.post('/v1/embeddings', { input: TEXTS, prompt: '', normalize: false });
      const { data } = (await response.json()) as { data: { embedding: number[] }[] };
      expect(
        differenceFrom(
          data.map(({ embedding }) => embedding),
          task,
        ),
      ).toBeLessThan(LIMIT);
      const facts = await (await app.app.request('/model')).json();
      expect(facts).toMatchObject({ default_prompt_name: task, prompts: { [task]: expect.any(String) } });
      const other = await app.post('/v1/embeddings', {
        input: TEXTS,
        task: task === QUERY ? PASSAGE : QUERY,
      });
      expect(other.status).toBe(422);
    } finally {
      await app.close();
    }
  }
});

test.each<[name: string, settings: object, change: object, message: string]>([
  [
    'unknown-task',
    { task: 'retrieval' },
    {},
    '`task` is "retrieval", but it must be one of retrieval.query, retrieval.passage, separation, classification, text-matching.',
  ],
  [
    'other-type',
    { model_type: 'embedding' },
    {},
    'The model has adapters for the tasks retrieval.query, retrieval.passage, separation, classification, text-matching, which require model_type sentence_embedding.',
  ],
  [
    'fewer-tasks',
    {},
    { lora_adaptations: ['retrieval.query'] },
    'do not match `lora_adaptations` (1 tasks) and `lora_rank` (3) in config.json: embeddings.word_embeddings.parametrizations.weight.original [50, 16], ',
  ],
  ['other-rank', {}, { lora_rank: 4 }, 'do not match `lora_adaptations` (5 tasks) and `lora_rank` (4)'],
])('%s is an error', async (name, settings, change, message) => {
  const { exitCode, stderr } = await build(name, settings, change);
  expect(stderr).toContain(message);
  expect(exitCode).not.toBe(0);
});
