import { expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import {
  checkCustomMetrics,
  compileCustomMetrics,
} from '#gateway/evaluation/work/evaluation/custom/check-custom.ts';
import { compileAnswerSchema } from '#gateway/requests/guardrails/judges/answer-schema.ts';
import type { CustomMetric } from '#gateway/evaluation/work/evaluation/custom/custom-metric.ts';
import { EVALUATED_TASKS } from '#gateway/evaluation/work/tasks/index.ts';
import type { Backend } from '#gateway/evaluation/work/work.ts';
import { scriptedModel } from './scripted-model.ts';
import { evaluationOf, runAll, withWork } from './working.ts';

const SCHEMA = {
  type: 'object',
  required: ['city'],
  properties: { city: { type: 'string', pattern: '^[A-Z]' } },
};

test('a pattern, a schema and a rubric score each response, and a missing response scores 0', async () => {
  const judge = await scriptedModel(({ body }) =>
    JSON.stringify({ reason: 'So.', score: body.messages[1]?.content.includes('Bonn') ? 10 : 4 }),
  );
  const backend: Backend = { kind: 'openai-compatible', baseUrl: judge.url, model: 'j', secretName: null };
  const spec = evaluationOf({
    task: { task: 'text-generation' },
    metrics: ['exact_match'],
    customMetrics: [
      { name: 'names_city', regex: '"CITY"', ignoreCase: true },
      { name: 'is_valid', jsonSchema: SCHEMA },
      { name: 'is_german', rubric: 'The city is in Germany.' },
    ],
    judge: { backend },
    failures: 'wrong',
  });
  const rows = ['It is {"city": "Bonn"}', '{"city": "paris"}', 'Rome', null].map((predictions) => ({
    examples: 'Where?',
    ground_truth: 'Rome',
    predictions,
  }));
  const { scores, metrics } = await withWork(spec, async (work) => {
    const outcome = await runAll(work, rows);
    return { scores: outcome.rows, metrics: work.result().metrics };
  });
  const columns = ['names_city', 'is_valid', 'is_german', 'exact_match'];
  expect(scores.map((row) => columns.map((name) => row[name]))).toEqual([
    [1, 1, 1, 0],
    [1, 0, 0.4, 0],
    [0, 0, 0.4, 1],
    [0, 0, 0, 0],
  ]);
  expect(metrics).toMatchObject({ names_city: 0.5, is_valid: 0.25, is_german: expect.closeTo(0.45, 9) });
  expect(judge.asked[0]?.body.messages[0]?.content).toContain('The city is in Germany.');
});

test.each<[CustomMetric, string]>([
  [
    { name: 'Has Number', regex: '1' },
    'requires a name that starts with a lowercase letter and has at most 64 lowercase letters, digits and _.',
  ],
  [{ name: 'rouge', regex: '1' }, 'has the name of another metric or column. Choose another name.'],
  [{ name: 'error', regex: '1' }, 'has the name of another metric or column. Choose another name.'],
  [{ name: 'a' }, 'requires exactly one of regex, json_schema, lua and rubric.'],
  [{ name: 'a', regex: '1', rubric: 'b' }, 'requires exactly one of regex, json_schema, lua and rubric.'],
  [{ name: 'a', rubric: 'b' }, 'requires a language model as judge. Set llm_as_judge.'],
  [{ name: 'a', regex: '(' }, 'is invalid: '],
])('an invalid metric is rejected: %j', (metric, message) => {
  let refusal = '';
  try {
    checkCustomMetrics(EVALUATED_TASKS.summarization, [metric], false);
  } catch (error) {
    refusal = AppError.from(error).message;
  }
  expect(refusal).toMatch(
    new RegExp(`^Custom metric ${RegExp.escape(JSON.stringify(metric.name))} ${RegExp.escape(message)}`),
  );
});

const LUA = `
function score(answer, row)
  if row.kind == "list" then return #row.ground_truth end
  if row.kind == "loop" then while true do end end
  if row.kind == "deep" then return string.rep("x", 100000000) end
  if row.kind == "error" then error("no city") end
  if row.kind == "text" then return answer end
  return answer == row.ground_truth and 1.5 or false
end`;

test('a Lua function scores responses within its limits, and a failure affects only its own row', async () => {
  const spec = evaluationOf({
    task: { task: 'text-generation' },
    metrics: ['exact_match'],
    customMetrics: [{ name: 'own', lua: LUA }],
    failures: 'wrong',
  });
  const kinds = ['same', 'other', 'list', 'loop', 'deep', 'error', 'text', 'none'];
  const rows = kinds.map((kind) => ({
    examples: 'Where?',
    kind,
    ground_truth: kind === 'list' ? ['Rome', 'Roma'] : 'Rome',
    predictions: kind === 'none' ? null : kind === 'other' ? 'Bonn' : 'Rome',
  }));
  const { scores, metrics } = await withWork(spec, async (work) => {
    const outcome = await runAll(work, rows);
    return { scores: outcome.rows, metrics: work.result().metrics };
  });
  expect(scores.map(({ own }) => own)).toEqual([1.5, 0, 2, null, null, null, null, 0]);
  expect(scores.map(({ exact_match: exact }) => exact)).toEqual([1, 0, 1, 1, 1, 1, 1, 0]);
  const errors = scores.map(({ error }) => error);
  expect(errors.slice(3, 7)).toEqual([
    expect.stringMatching(
      /^own: The Lua function failed: .*it exceeded its (?:limit of 10000000 instructions|time limit of 5 s)$/,
    ),
    expect.stringMatching(/it exceeded its memory limit of 64 MB/),
    expect.stringMatching(/lua:6: no city\n {2}6 \| {3}if row\.kind == "error"/),
    expect.stringMatching(/score must return a number or a boolean, not a string/),
  ]);
  expect(metrics['own']).toBeCloseTo(3.5 / 4, 9);
});

test('invalid Lua is rejected, and scripts are compiled without running', async () => {
  await expect(compileCustomMetrics([{ name: 'own', lua: 'function score(' }])).rejects.toThrow(
    /^Custom metric "own" is invalid: The Lua function failed: lua:1: /,
  );
  await expect(compileCustomMetrics([{ name: 'own', jsonSchema: { type: 'citty' } }])).rejects.toThrow(
    'Custom metric "own" is invalid: the JSON Schema schema is invalid',
  );
  await expect(compileCustomMetrics([{ name: 'own', lua: 'while true do end' }])).resolves.toBeUndefined();
});

test('a large JSON Schema is compiled without blocking other requests, and a schema above the size limit is rejected', async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 600 }, (_, at) => [`p${at}`, { type: 'string', pattern: `^x{1,9}y${at}$` }]),
  );
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  await compileCustomMetrics([{ name: 'own', jsonSchema: { type: 'object', properties } }]);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(5);
  await expect(
    compileCustomMetrics([
      { name: 'own', jsonSchema: { anyOf: Array.from({ length: 8000 }, (_, at) => ({ const: at })) } },
    ]),
  ).rejects.toThrow('Custom metric "own" is invalid: the JSON Schema has more than');
});

test('the check of a response against a JSON Schema has a time limit', async () => {
  const choice = {
    anyOf: [{ type: 'array', items: { $ref: '#' } }, { type: 'array', contains: { $ref: '#' } }, false],
  };
  const check = compileAnswerSchema(choice);
  expect(() => check(`${'['.repeat(60)}1${']'.repeat(60)}`)).toThrow('took too long');
});
