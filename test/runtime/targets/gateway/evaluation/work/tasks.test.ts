import { describe, expect, test } from 'vitest';
import { checkMetrics, defaultMetrics, metricNames } from '#gateway/evaluation/work/evaluation/metrics.ts';
import { labelInAnswer } from '#gateway/evaluation/work/inference/label-in-answer.ts';
import { EVALUATED_TASKS } from '#gateway/evaluation/work/tasks/index.ts';
import type { RowCells } from '#gateway/evaluation/datasets/dataset.ts';

const NONE = { judge: false, embedder: false };
const ALL = { judge: true, embedder: true };

describe('metrics', () => {
  test.each(Object.entries(EVALUATED_TASKS))(
    'the default metrics of %s can also be set explicitly',
    (_name, task) => {
      expect(defaultMetrics(task, ALL)).toEqual(task.defaultMetrics);
      const possible = defaultMetrics(task, NONE);
      expect(possible.length).toBeGreaterThan(1);
      expect(() => checkMetrics(task, possible, NONE)).not.toThrow();
      expect(metricNames(task)).toEqual(expect.arrayContaining([...task.defaultMetrics]));
    },
  );

  test('metrics that cannot be computed are rejected with a fix', () => {
    const { summarization, 'text-classification': classification } = EVALUATED_TASKS;
    const check = (name: string) => () => checkMetrics(summarization, [name], NONE);
    expect(check('rougee')).toThrow('did you mean `rouge`?');
    expect(check('constructor')).toThrow('Unknown metric "constructor" for this task');
    expect(check('comet')).toThrow('comet is not available');
    expect(check('bertscore')).toThrow(
      'Metric bertscore requires an encoder of type embedding. Set embedder.',
    );
    expect(check('g_eval_summarization')).toThrow(
      'Metric g_eval_summarization requires a language model as judge. Set llm_as_judge.',
    );
    expect(() => checkMetrics(classification, ['rouge'], ALL)).toThrow(
      'Unknown metric "rouge" for this task',
    );
    expect(defaultMetrics(summarization, NONE)).toEqual(['rouge', 'meteor']);
  });
});

describe('prompts', () => {
  test('default prompts contain languages or labels, and text generation has no default prompt', () => {
    const {
      translation,
      'text-classification': classification,
      'text-generation': generation,
    } = EVALUATED_TASKS;
    const german = { task: 'translation', sourceLanguage: 'German', targetLanguage: 'English' } as const;
    expect(translation.defaultPrompt(german, [])).toContain('from German to English');
    expect(classification.defaultPrompt({ task: 'text-classification' }, ['a"b', 'c'])).toContain(
      String.raw`["a\"b","c"]`,
    );
    expect(generation.defaultPrompt({ task: 'text-generation' }, [])).toBeUndefined();
  });
});

describe('datasets', () => {
  const check = (task: keyof typeof EVALUATED_TASKS, row: RowCells) => () => {
    EVALUATED_TASKS[task].checkColumns(Object.keys(row));
    EVALUATED_TASKS[task].labelsOf(row);
  };

  test.each([
    ['text-classification', { examples: 'x', ground_truth: 'A' }],
    ['text-classification', { examples: 'x', ground_truth: 1 }],
    ['text-classification', { examples: 'x', ground_truth: '["A","B"]' }],
    ['text-classification', { examples: 'x', ground_truth: [] }],
    ['token-classification', { examples: 'a b', ground_truth: 'O B-X' }],
    ['token-classification', { examples: '🌍', ground_truth: [{ start: 0, end: 1, label: 'X' }] }],
    ['token-classification', { examples: 'a', ground_truth: [] }],
    ['feature-extraction', { examples: 'x', reference: 'y' }],
    ['feature-extraction', { examples: 'x', reference: 'y', ground_truth: '0.5' }],
    ['feature-extraction', { examples: 'x', candidates: ['y', 'z'], ground_truth: '1' }],
    ['summarization', { examples: 'x', ground_truth: 'y' }],
  ] as const)('%s accepts %j', (task, row) => {
    expect(check(task, row)).not.toThrow();
  });

  test.each([
    ['text-classification', { examples: 'x' }, 'has no column `ground_truth`'],
    ['text-classification', { examples: 'x', ground_truth: ' ' }, '`ground_truth` is missing.'],
    ['text-classification', { examples: 'x', ground_truth: { a: 1 } }, 'neither a label nor a list'],
    ['token-classification', { examples: 'a b', ground_truth: 'O' }, '1 labels for 2 words'],
    [
      'token-classification',
      { examples: '🌍', ground_truth: [{ start: 0, end: 2, label: 'X' }] },
      'A span ends at 2, but the text has only 1 Unicode code points.',
    ],
    ['token-classification', { examples: 'a', ground_truth: '[{"start":1}]' }, 'neither a list of labels'],
    [
      'feature-extraction',
      { examples: 'x', ground_truth: '1' },
      'The dataset must have a column `reference`',
    ],
    [
      'feature-extraction',
      { examples: 'x', reference: 'y', ground_truth: 'very' },
      'Invalid similarity "very". It must be a number.',
    ],
    [
      'feature-extraction',
      { examples: 'x', reference: '' },
      '`reference` and `candidates` are both missing.',
    ],
    [
      'feature-extraction',
      { examples: 'x', candidates: 'y', ground_truth: '0' },
      '`candidates` must be a list of strings.',
    ],
    [
      'feature-extraction',
      { examples: 'x', candidates: ['y'], ground_truth: '1' },
      'Invalid relevance "1" for 1 candidates.',
    ],
    ['summarization', { examples: 'x', ground_truth: [7] }, 'A list in `ground_truth` must contain'],
  ] as const)('%s rejects %j', (task, row, sentence) => {
    expect(check(task, row as RowCells)).toThrow(sentence);
  });

  test('labels are read from the ground truth of a row', () => {
    const { 'text-classification': texts, 'token-classification': tokens, summarization } = EVALUATED_TASKS;
    expect(texts.labelsOf({ ground_truth: 'A' })).toEqual(['A']);
    expect(texts.labelsOf({ ground_truth: '["A","B"]' })).toEqual(['A', 'B']);
    expect(tokens.labelsOf({ examples: 'a b', ground_truth: 'O B-PER' })).toEqual(['O', 'B-PER']);
    expect(tokens.labelsOf({ examples: 'a', ground_truth: [{ start: 0, end: 1, label: 'PER' }] })).toEqual([
      'PER',
    ]);
    expect(summarization.labelsOf({ ground_truth: 'A' })).toEqual([]);
  });
});

test.each([
  ['POSITIVE', 'POSITIVE'],
  ['"positive".', 'POSITIVE'],
  ['Label: Positive', 'POSITIVE'],
  ['The answer is **negative**!', 'NEGATIVE'],
  ['I would say it is rather negative, all in all.', 'NEGATIVE'],
  ['positive or negative', 'positive or negative'],
  ['positively', 'positively'],
  ['C++', 'C++'],
  ['', ''],
])('model output %j is parsed as %j', (answer, label) => {
  expect(labelInAnswer(answer, ['POSITIVE', 'NEGATIVE', 'C++'])).toBe(label);
});
