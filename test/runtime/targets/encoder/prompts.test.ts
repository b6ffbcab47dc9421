import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_PROMPT_CHARS } from '#core/model/vector-plan.ts';
import { openEngine } from '#encoder/engine/engine.ts';
import { openServingEngine } from '#encoder/engine/serving-engine.ts';
import { createEncoderTool } from '#encoder/mcp/run-encoder.ts';
import { sentenceEmbeddingTask } from '#encoder/tasks/sentence-embedding.ts';
import type { FlagReader } from '#encoder/tasks/task.ts';
import { runCliHere as runCli } from '#test/helpers/cli-here.ts';
import { DEFAULT_LIMITS } from '#test/helpers/default-limits.ts';
import { copyModel, writeConfig } from '#test/helpers/model-folder.ts';
import { FIXTURES, TEST_CACHE } from '#test/helpers/paths.ts';
import { testKernel } from '#test/helpers/test-kernel.ts';
import { type ModelServer, serveEngine } from './grpc/model-server.ts';
import { appAround, openApp, type OpenApp } from './http/open-app.ts';
import { contextOf } from './mcp/serving-context.ts';

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}
interface Operation {
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
}
interface Document {
  readonly paths: Readonly<Record<string, { readonly post?: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** A body of each route for vectors, and where the prompt is in it. */
const ROUTES: Readonly<Record<string, (prompts: object) => object>> = {
  '/predict': (prompts) => ({ inputs: ['a dog'], ...prompts }),
  '/': (prompts) => ({ inputs: 'a dog', ...prompts }),
  '/tokenize': (prompts) => ({ inputs: 'a dog', ...prompts }),
  '/v1/embeddings': (prompts) => ({ input: ['a dog'], ...prompts }),
  '/embed': (prompts) => ({ inputs: 'a dog', ...prompts }),
  '/embed_all': (prompts) => ({ inputs: 'a dog', ...prompts }),
  '/embed_sparse': (prompts) => ({ inputs: 'a dog', ...prompts }),
  '/similarity': (parameters) => ({
    inputs: { source_sentence: 'a dog', sentences: ['the hotel', 'a kitten'] },
    parameters,
  }),
};

/** The paths whose requests have a field, directly or in an object. */
async function pathsWith(open: OpenApp, field: string): Promise<string[]> {
  const { paths, components } = (await (await open.app.request('/openapi.json')).json()) as Document;
  const has = (reference: Schema): boolean => {
    const name = reference.$ref?.split('/').at(-1);
    const { properties = {}, anyOf = [] } = (name && components.schemas[name]) || reference;
    return Object.hasOwn(properties, field) || [...Object.values(properties), ...anyOf].some(has);
  };
  return Object.entries(paths).flatMap(([path, { post }]) => {
    const schema = post?.requestBody?.content['application/json'].schema;
    return schema && has(schema) ? [path] : [];
  });
}

const INSTRUCTED = { query: 'Instruct: Find texts\nQuery: ', passage: 'a text about ' };
const TASK = 'search for the hotel';
const SAME = `Instruct: ${TASK}\nQuery: `;
const NO_TASK =
  'prompt_name "passage" has no task that instruction can replace. Use query, or remove prompt_name.';

describe('a model whose prompt contains a task', () => {
  const folder = mkdtempSync(join(tmpdir(), 'encoderfile-prompts-'));
  let open: OpenApp;
  let grpc: ModelServer;
  let path = '';
  beforeAll(async () => {
    copyModel(folder, 'sentence');
    const config = writeConfig(folder, { model_type: 'sentence_embedding', prompts: INSTRUCTED });
    const args = ['build', '--no-build', '-q', '-f', config, '--cache-dir', TEST_CACHE];
    const { stderr } = await runCli(args, { cwd: folder });
    if (stderr !== '') throw new Error(stderr);
    path = join(folder, 'model.assets');
    const limits = { ...DEFAULT_LIMITS, maxInputChars: 5000 };
    const engine = await openServingEngine(path, { limits, workers: 1, threads: 1 });
    open = appAround(engine);
    grpc = await serveEngine(engine, testKernel());
  });
  afterAll(async () => {
    await grpc.server.close();
    await open.close();
    rmSync(folder, { recursive: true });
  });

  const answerOf = async (route: string, prompts: object): Promise<[number, string]> => {
    const response = await open.post(route, ROUTES[route]?.(prompts));
    const text = await response.text();
    if (response.status === 200 || !text.startsWith('{')) return [response.status, text];
    const { error } = JSON.parse(text) as { error: string | { message: string } };
    return [response.status, typeof error === 'string' ? error : error.message];
  };

  test('every route with prompt_name has prompt and instruction', async () => {
    const routes = await pathsWith(open, 'prompt_name');
    expect(routes.toSorted()).toEqual([
      '/',
      '/embed',
      '/predict',
      '/similarity',
      '/tokenize',
      '/v1/embeddings',
    ]);
    for (const field of ['prompt', 'instruction']) expect(await pathsWith(open, field)).toEqual(routes);
  });

  test('an instruction replaces the task, and a prompt replaces the prompts of the model, on every route', async () => {
    for (const route of await pathsWith(open, 'prompt_name')) {
      const expected = await answerOf(route, { prompt: SAME });
      expect([route, expected[0]]).toEqual([route, 200]);
      for (const prompts of [{ instruction: TASK }, { instruction: TASK, prompt_name: 'query' }])
        expect([route, await answerOf(route, prompts)]).toEqual([route, expected]);
      for (const other of [{}, { prompt_name: 'query' }])
        expect([route, await answerOf(route, other)]).not.toEqual([route, expected]);
      const prompt = INSTRUCTED.passage;
      expect(await answerOf(route, { prompt, prompt_name: 'query' })).toEqual(
        await answerOf(route, { prompt_name: 'passage' }),
      );
    }
  });

  test('every route rejects the same prompts with the same message', async () => {
    const tooLong = (text: string, limit: string): string => `${text} must have at most ${limit}`;
    const cases: [prompts: object, message: string][] = [
      [{ instruction: TASK, prompt_name: 'passage' }, NO_TASK],
      [{ instruction: TASK, prompt: 'a' }, 'instruction cannot be combined with prompt. Remove one of them.'],
      [{ instruction: '' }, 'instruction must not be empty'],
      ...['prompt', 'instruction'].map((name): [object, string] => [
        { [name]: 'x'.repeat(1_000_000) },
        tooLong(name, `${MAX_PROMPT_CHARS} characters, not 1000000`),
      ]),
      [
        { prompt: 'dog '.repeat(100) },
        'The prompt is too long: it leaves no room for a text within the 64 tokens of this model. Shorten it.',
      ],
      // Spaces have no tokens.
      [
        { prompt: ' '.repeat(4999) },
        'Input 0 is too long: it has 5004 characters, but the maximum is 5000 (--max-input-chars). Split it into shorter inputs.',
      ],
    ];
    for (const route of await pathsWith(open, 'prompt_name')) {
      for (const [prompts, message] of cases)
        expect([route, ...(await answerOf(route, prompts))]).toEqual([route, 422, message]);
      for (const wrong of [{ prompt: 7 }, { instruction: ['a'] }, { prompt: {} }])
        expect((await answerOf(route, wrong))[0]).toBe(422);
    }
  });

  test('the MCP tool and gRPC have the same rule', async () => {
    const tool = createEncoderTool(contextOf(open.engine));
    const { signal } = new AbortController();
    const run = async (prompts: object): Promise<unknown> =>
      (await tool.call({ inputs: ['a dog'], ...prompts }, signal)).structuredContent;
    expect(await run({ instruction: TASK })).toEqual(await run({ prompt: SAME }));
    expect(await run({ instruction: TASK })).not.toEqual(await run({}));
    await expect(run({ instruction: TASK, prompt_name: 'passage' })).rejects.toThrow(NO_TASK);

    const predict = (prompts: object) => grpc.call('Predict', { inputs: ['a dog'], ...prompts });
    expect(await predict({ instruction: TASK })).toEqual(await predict({ prompt: SAME }));
    expect(await predict({ instruction: TASK })).not.toEqual(await predict({}));
    const refused = await predict({ instruction: TASK, prompt_name: 'passage' });
    expect(refused).toMatchObject({ status: 3, message: NO_TASK });
  });

  test('infer has the same rule, with the names of its flags', async () => {
    const engine = await openEngine(path, { threads: () => 1, prepack: false });
    const promptOf = async (flags: Record<string, string>): Promise<string> => {
      const none = () => undefined;
      const reader: FlagReader = {
        text: (name) => flags[name],
        texts: () => [],
        words: () => [],
        isSet: () => false,
        choice: none,
        count: none,
        share: none,
      };
      return (await sentenceEmbeddingTask.printOptions(reader, engine)).prompt.text;
    };
    try {
      expect(await promptOf({ instruction: TASK })).toBe(SAME);
      expect(await promptOf({ prompt: 'mine: ', 'prompt-name': 'query' })).toBe('mine: ');
      await expect(promptOf({ instruction: TASK, 'prompt-name': 'passage' })).rejects.toThrow(
        '--prompt-name "passage" has no task that --instruction can replace. Use query, or remove --prompt-name.',
      );
      await expect(promptOf({ prompt: 'dog '.repeat(100) })).rejects.toThrow('The prompt is too long');
    } finally {
      await engine.close();
    }
  });

  test('token ids cannot have a prompt', async () => {
    for (const field of ['prompt_name', 'prompt', 'instruction']) {
      const response = await open.post('/v1/embeddings', { input: [2, 3], [field]: 'query' });
      expect(await response.json()).toMatchObject({
        error: {
          message: `${field} requires text inputs, but the input contains token ids. Prepend the token ids of the prompt instead.`,
        },
      });
    }
  });
});

test.each(readdirSync(join(FIXTURES, 'models')))('%s has no instruction', async (model) => {
  const open = await openApp(model);
  try {
    const { sentence, images } = open.engine.manifest;
    const isSentence = sentence !== undefined && images === undefined;
    expect(await pathsWith(open, 'instruction')).toEqual([]);
    const documented = await pathsWith(open, 'prompt');
    expect(documented.length > 0).toBe(isSentence);
    const routes = Object.keys(ROUTES).filter((route) => isSentence || route.startsWith('/embed'));
    for (const route of routes) {
      const bodyOf = (prompts: object) => ROUTES[route]?.(prompts);
      if ((await open.post(route, bodyOf({}))).status !== 200) continue;
      const { status } = await open.post(route, bodyOf({ instruction: 'a' }));
      const prompted = await open.post(route, bodyOf({ prompt: 'a ' }));
      expect([route, status, prompted.status]).toEqual([route, 422, isSentence ? 200 : 422]);
    }
  } finally {
    await open.close();
  }
});
