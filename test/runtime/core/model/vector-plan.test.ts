import { describe, expect, test } from 'vitest';
import type { SentenceSettings } from '#contract/sentence.ts';
import { MAX_PROMPT_CHARS, planVector } from '#core/model/vector-plan.ts';

const SENTENCE: SentenceSettings = {
  pooling: 'mean',
  includePrompt: false,
  normalize: true,
  dimensions: 16,
  prompts: { query: { text: 'find: ', tokens: 3 }, passage: { text: '', tokens: 0 } },
  defaultPrompt: 'query',
};
const model = (sentence: Partial<SentenceSettings> = {}) => ({
  width: 32,
  sentence: { ...SENTENCE, ...sentence },
});

describe('planVector', () => {
  test("uses the model's settings by default", () => {
    const asSet = {
      options: { normalize: true, dimensions: 16, skip: 3 },
      prompt: { text: 'find: ' },
      isFree: false,
    };
    expect(planVector(model(), {})).toEqual(asSet);
    expect(planVector(model(), { normalize: null, dimensions: null, prompt_name: null })).toEqual(asSet);
  });

  test("request settings override the model's settings", () => {
    expect(planVector(model(), { normalize: false, dimensions: 32, prompt_name: 'passage' })).toEqual({
      options: { normalize: false, dimensions: 32, skip: 0 },
      prompt: { text: '' },
      isFree: false,
    });
  });

  test('an empty prompt name means no prompt, and no tokens are skipped', () => {
    expect(planVector(model(), { prompt_name: '' })).toMatchObject({
      options: { skip: undefined },
      prompt: { text: '' },
    });
  });

  test('prompt tokens are not skipped if the model includes the prompt in pooling', () => {
    expect(planVector(model({ includePrompt: true }), {})).toMatchObject({
      options: { skip: undefined },
      prompt: { text: 'find: ' },
    });
  });

  test('a model without settings leaves vectors unchanged', () => {
    expect(planVector({ width: 8 }, {})).toEqual({
      options: { normalize: false, dimensions: undefined, skip: undefined },
      prompt: { text: '' },
      isFree: false,
    });
  });

  test.each([
    [{ dimensions: 33 }, 'dimensions must be at most 32, not 33'],
    [{ dimensions: 0 }, 'dimensions must be at least 1, not 0'],
    [{ prompt_name: 'nope' }, 'flag must be one of query, passage, document, not "nope"'],
    [{ prompt_name: 'toString' }, 'flag must be one of query, passage, document, not "toString"'],
  ])('%j causes an InputError', (wishes, message) => {
    expect(() => planVector(model(), wishes, () => 'flag')).toThrow(
      expect.objectContaining({ code: 'InputError', message }) as Error,
    );
  });

  // `encode(…, prompt_name=…)` of sentence-transformers 5.7 does the same with the same prompts.
  test('query and document are empty prompts if the model does not define them', () => {
    const others = { s2p: { text: 'find: ', tokens: 3 } };
    for (const without of [{ width: 8 }, model({ prompts: {} }), model({ prompts: others })]) {
      for (const prompt_name of ['query', 'document']) {
        expect(planVector(without, { prompt_name })).toMatchObject({
          prompt: { text: '' },
          options: { skip: undefined },
        });
      }
    }
    expect(planVector(model(), { prompt_name: 'document' }).prompt).toEqual({ text: '' });
    expect(() => planVector({ width: 8 }, { prompt_name: 'passage' })).toThrow(
      'prompt_name must be one of query, document, not "passage"',
    );
  });
});

const WITH_TASKS: SentenceSettings['prompts'] = {
  document: { text: '', tokens: 0 },
  passage: { text: 'passage: ', tokens: 3 },
  sts_query: { text: 'Instruct: Retrieve similar text.\nQuery: ', tokens: 12 },
  query: { text: 'Instruct: Find web pages\nQuery:', tokens: 9 },
};
const withTasks = (defaultPrompt?: string) => {
  const { defaultPrompt: _, ...own } = SENTENCE;
  const prompts = { prompts: WITH_TASKS, ...(defaultPrompt === undefined ? {} : { defaultPrompt }) };
  return { width: 32, sentence: { ...own, ...prompts } };
};

describe('a task', () => {
  const prompts = {
    query: { text: 'find: ', tokens: 3, adapter: 0 },
    passage: { text: 'in: ', tokens: 2, adapter: 1 },
    other: { text: 'other: ', tokens: 2 },
  };
  const tasks = {
    width: 32,
    sentence: { pooling: 'mean', includePrompt: true, normalize: true, prompts },
  } as const;

  test.each([
    [{}, '', undefined],
    [{ task: 'query' }, 'find: ', 0],
    [{ prompt_name: 'passage' }, 'in: ', 1],
    [{ task: 'query', prompt_name: 'passage' }, 'in: ', 0],
    [{ task: 'query', prompt_name: 'other' }, 'other: ', 0],
    [{ task: 'query', prompt_name: '' }, '', 0],
    [{ task: 'query', prompt: 'mine: ' }, 'mine: ', 0],
    [{ prompt_name: 'passage', prompt: 'mine: ' }, 'mine: ', 1],
    [{ prompt_name: 'other' }, 'other: ', undefined],
    [{ prompt_name: '' }, '', undefined],
  ])('of %j selects the prompt %j and the adapter %s', (request, text, adapter) => {
    expect(planVector(tasks, request).prompt).toEqual({ text, adapter });
  });

  test('is that of the default prompt by default, unless a request has another or an empty name', () => {
    const byDefault = model({ prompts, defaultPrompt: 'passage' });
    expect(planVector(byDefault, {}).prompt).toEqual({ text: 'in: ', adapter: 1 });
    expect(planVector(byDefault, { prompt: 'mine: ' }).prompt).toEqual({ text: 'mine: ', adapter: 1 });
    expect(planVector(byDefault, { prompt_name: '' }).prompt).toEqual({ text: '' });
  });

  test('has no effect on models without adapters', () => {
    expect(planVector(model(), { task: 'nope' }).prompt).toEqual(planVector(model(), {}).prompt);
  });
});

describe('a prompt in the request', () => {
  test('replaces the prompts of the model, and its tokens are not known yet', () => {
    for (const prompt_name of ['query', 'nope', '', null]) {
      expect(planVector(model(), { prompt: 'mine: ', prompt_name })).toEqual({
        options: { normalize: true, dimensions: 16, skip: undefined },
        prompt: { text: 'mine: ' },
        isFree: true,
      });
    }
  });

  test('can be empty, which means no prompt', () => {
    expect(planVector(model(), { prompt: '' })).toMatchObject({ prompt: { text: '' }, isFree: false });
  });

  test('is an InputError if it is too long, or if the model has no prompts', () => {
    expect(planVector(model(), { prompt: '😀'.repeat(MAX_PROMPT_CHARS) }).isFree).toBe(true);
    expect(() => planVector(model(), { prompt: 'x'.repeat(1_000_000) })).toThrow(
      'prompt must have at most 8192 characters, not 1000000',
    );
    expect(() => planVector({ width: 8 }, { prompt: 'a' })).toThrow(
      'prompt requires a sentence_embedding model. Remove it, or add the prompt to each text.',
    );
  });
});

describe('an instruction', () => {
  const instruction = 'Find recipes';

  test.each([
    [undefined, undefined, 'Instruct: Find recipes\nQuery:'],
    [undefined, 'sts_query', 'Instruct: Find recipes\nQuery: '],
    ['sts_query', undefined, 'Instruct: Find recipes\nQuery: '],
    ['passage', undefined, 'Instruct: Find recipes\nQuery:'],
  ])('with the default %s and the name %s replaces a task', (defaultPrompt, prompt_name, prompt) => {
    const plan = planVector(withTasks(defaultPrompt), { instruction, prompt_name });
    expect(plan).toMatchObject({ prompt: { text: prompt }, isFree: true, options: { skip: undefined } });
  });

  test.each([
    [
      { instruction, prompt_name: 'passage' },
      'prompt_name "passage" has no task that instruction can replace. Use sts_query, query, or remove prompt_name.',
    ],
    [
      { instruction, prompt_name: '' },
      'prompt_name "" has no task that instruction can replace. Use sts_query, query, or remove prompt_name.',
    ],
    [
      { instruction, prompt_name: 'toString' },
      'prompt_name "toString" has no task that instruction can replace. Use sts_query, query, or remove prompt_name.',
    ],
    [{ instruction, prompt: 'a' }, 'instruction cannot be combined with prompt. Remove one of them.'],
    [{ instruction: ' ' }, 'instruction must not be empty'],
    [{ instruction: 'x'.repeat(8193) }, 'instruction must have at most 8192 characters, not 8193'],
  ])('%j causes an InputError', (wishes, message) => {
    expect(() => planVector(withTasks(), wishes)).toThrow(
      expect.objectContaining({ code: 'InputError', message }) as Error,
    );
  });

  test('requires a model whose prompt contains a task', () => {
    for (const without of [model(), { width: 8 }]) {
      expect(() => planVector(without, { instruction }, (name) => `--${name}`)).toThrow(
        '--instruction requires a model with a prompt such as "Instruct: {task}\\nQuery: ", which this model does not have. Remove it, or set the whole prompt with --prompt.',
      );
    }
  });
});
