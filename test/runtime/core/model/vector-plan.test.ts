import { describe, expect, test } from 'vitest';
import type { SentenceSettings } from '#contract/sentence.ts';
import { planVector } from '#core/model/vector-plan.ts';

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
    const asSet = { options: { normalize: true, dimensions: 16, skip: 3 }, prompt: 'find: ' };
    expect(planVector(model(), {})).toEqual(asSet);
    expect(planVector(model(), { normalize: null, dimensions: null, promptName: null })).toEqual(asSet);
  });

  test("request settings override the model's settings", () => {
    expect(planVector(model(), { normalize: false, dimensions: 32, promptName: 'passage' })).toEqual({
      options: { normalize: false, dimensions: 32, skip: 0 },
      prompt: '',
    });
  });

  test('an empty prompt name means no prompt, and no tokens are skipped', () => {
    expect(planVector(model(), { promptName: '' })).toMatchObject({
      options: { skip: undefined },
      prompt: '',
    });
  });

  test('prompt tokens are not skipped if the model includes the prompt in pooling', () => {
    expect(planVector(model({ includePrompt: true }), {})).toMatchObject({
      options: { skip: undefined },
      prompt: 'find: ',
    });
  });

  test('a model without settings leaves vectors unchanged', () => {
    expect(planVector({ width: 8 }, {})).toEqual({
      options: { normalize: false, dimensions: undefined, skip: undefined },
      prompt: '',
    });
  });

  test.each([
    [{ dimensions: 33 }, 'dimensions must be at most 32, not 33'],
    [{ dimensions: 0 }, 'dimensions must be at least 1, not 0'],
    [{ promptName: 'nope' }, 'flag must be one of query, passage, document, not "nope"'],
    [{ promptName: 'toString' }, 'flag must be one of query, passage, document, not "toString"'],
  ])('%j causes an InputError', (wishes, message) => {
    expect(() => planVector(model(), wishes, 'flag')).toThrow(
      expect.objectContaining({ code: 'InputError', message }) as Error,
    );
  });

  // `encode(…, prompt_name=…)` of sentence-transformers 5.7 does the same with the same prompts.
  test('query and document are empty prompts if the model does not define them', () => {
    const others = { s2p: { text: 'find: ', tokens: 3 } };
    for (const without of [{ width: 8 }, model({ prompts: {} }), model({ prompts: others })]) {
      for (const promptName of ['query', 'document']) {
        expect(planVector(without, { promptName })).toMatchObject({
          prompt: '',
          options: { skip: undefined },
        });
      }
    }
    expect(planVector(model(), { promptName: 'document' }).prompt).toBe('');
    expect(() => planVector({ width: 8 }, { promptName: 'passage' })).toThrow(
      'prompt_name must be one of query, document, not "passage"',
    );
  });
});
