import { expect, test } from 'vitest';
import type { RowCells } from '#gateway/evaluation/datasets/dataset.ts';
import type { Backend } from '#gateway/evaluation/work/work.ts';
import { scriptedModel } from '../scripted-model.ts';
import { evaluationOf, inferenceOf, runAll, withWork } from '../working.ts';

const TASK = { task: { task: 'conversation' } } as const;
const TOOLS = [
  { name: 'search', description: 'Find flights.', parameters: { type: 'object' } },
  { type: 'function', function: { name: 'book', parameters: { type: 'object' } } },
];

interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
}

const calling = (...calls: readonly (readonly [string, object | string])[]) => ({
  message: {
    role: 'assistant',
    content: null,
    tool_calls: calls.map(([name, given], at) => ({
      id: `call_${name}_${at}`,
      type: 'function',
      function: { name, arguments: typeof given === 'string' ? given : JSON.stringify(given) },
    })),
  },
});

/** A model that searches, books the flight that was found, and reports the booking. */
const agent = () =>
  scriptedModel(({ body }) => {
    const messages = body.messages as readonly Message[];
    const last = messages.at(-1);
    if (last?.role === 'tool' && last.tool_call_id?.startsWith('call_search') === true)
      return calling(['book', { id: (JSON.parse(last.content ?? '{}') as { id: number }).id }]);
    if (last?.role === 'tool') return `Booked: ${last.content}`;
    if (last?.content?.includes('thank') === true) return 'You are welcome.';
    return calling(['search', { to: last?.content?.includes('Rome') === true ? 'Rome' : 'Paris' }]);
  });

const backendAt = (url: string): Backend => ({
  kind: 'openai-compatible',
  baseUrl: url,
  model: 'agent',
  secretName: null,
});

const TRIP: RowCells = {
  examples: 'A flight to Paris',
  tools: TOOLS,
  turns: [
    {
      user: 'A flight to Paris',
      expected_calls: [
        { name: 'search', arguments: { to: 'Paris' } },
        { name: 'book', arguments: { type: 'object', required: ['id'] }, match: 'schema' },
      ],
      checks: [{ contains: 'booked' }, { not_regex: 'Rome' }],
    },
    { user: 'I thank you', expected_calls: [], checks: [{ equals: 'you are welcome.' }] },
  ],
  tool_results: [
    { name: 'search', arguments: { to: 'Paris' }, result: { id: 7 } },
    { name: 'book', result: 'ok', state: { booked: [7], draft: null } },
  ],
  state: { user: 'Ann', draft: true },
  expected_state: { user: 'Ann', booked: [7] },
  forbidden_calls: ['cancel'],
};

async function answersOf(rows: readonly RowCells[], model: { readonly url: string }) {
  const spec = inferenceOf(backendAt(model.url), { ...TASK, systemPrompt: 'Help.' });
  return await withWork(spec, async (work) => await runAll(work, rows));
}

const scoresOf = (rows: readonly RowCells[], metrics = ['success', 'turn_success', 'tool_calls']) =>
  withWork(evaluationOf({ ...TASK, metrics, failures: 'wrong' }), async (work) => {
    const { rows: scores } = await runAll(work, rows);
    return { scores, ...work.result() };
  });

test('a conversation keeps the replies, and scripted tools return results and change the state', async () => {
  const model = await agent();
  const { rows } = await answersOf([TRIP], model);
  expect(rows[0]).toMatchObject({
    predictions: 'You are welcome.',
    replies: ['Booked: ok', 'You are welcome.'],
    calls: [
      { turn: 1, name: 'search', arguments: { to: 'Paris' } },
      { turn: 1, name: 'book', arguments: { id: 7 } },
    ],
    final_state: { user: 'Ann', booked: [7] },
    prompt_tokens: 40,
    completion_tokens: 16,
    error: null,
  });
  const last = model.asked.at(-1)?.body.messages as readonly Message[];
  expect(last.map(({ role, content }) => [role, content])).toEqual([
    ['system', 'Help.'],
    ['user', 'A flight to Paris'],
    ['assistant', null],
    ['tool', '{"id":7}'],
    ['assistant', null],
    ['tool', 'ok'],
    ['assistant', 'Booked: ok'],
    ['user', 'I thank you'],
  ]);
  const { tools } = (model.asked[0]?.body ?? {}) as { readonly tools?: readonly object[] };
  expect(tools).toEqual([{ type: 'function', function: TOOLS[0] }, TOOLS[1]]);
  const { scores, metrics, details } = await scoresOf(rows);
  expect(scores[0]).toMatchObject({
    success: 1,
    turn_success: 1,
    tool_calls_f1: 1,
    tool_calls_match: 1,
    error: null,
  });
  expect(metrics).toMatchObject({ success: 1, turn_success: 1, tool_calls_precision: 1 });
  expect(details).toMatchObject({
    turn_success: {
      by_turn: [
        { turn: 1, rows: 1, success: 1 },
        { turn: 2, rows: 1, success: 1 },
      ],
    },
  });
});

test.each<[string, RowCells, object]>([
  ['the final state', { expected_state: { booked: [8] } }, { success: 0, turn_success: 1 }],
  ['a forbidden call', { forbidden_calls: [{ name: 'book', arguments: { id: 7 } }] }, { success: 0 }],
  [
    'a call that is forbidden with other arguments',
    { forbidden_calls: [{ name: 'book', arguments: { id: 8 } }] },
    { success: 1 },
  ],
  [
    'calls of the conversation as a whole',
    { expected_calls: [{ name: 'book' }], call_order: 'superset' },
    { success: 1, tool_calls_match: 1, tool_calls_precision: 0.75 },
  ],
  [
    'the order of all calls',
    { expected_calls: [{ name: 'book' }, { name: 'search' }] },
    { success: 0, tool_calls_match: 0, tool_calls_recall: 1, tool_calls_order: 0.75 },
  ],
  ['a check of the last response', { checks: [{ number: 7 }] }, { success: 0 }],
])('%s is part of the success', async (_about, changes, expected) => {
  const model = await agent();
  const { rows } = await answersOf([{ ...TRIP, ...changes }], model);
  expect((await scoresOf(rows)).scores[0]).toMatchObject(expected);
});

test('a row without a response meets no expectation, and a row without expectations has no score', async () => {
  const answered = { predictions: 'Hello', replies: ['Hello'], calls: [], final_state: null };
  const { scores, metrics } = await scoresOf(
    [
      { examples: 'x', expected_calls: [], ground_truth: 'Hello', ...answered },
      { examples: 'x', expected_calls: [], ground_truth: null, predictions: null, error: 'down' },
      { examples: 'x', expected_calls: null, ground_truth: null, ...answered },
    ],
    ['success', 'tool_calls', 'exact_match'],
  );
  expect(
    scores.map(({ success, tool_calls_match: match, exact_match: exact }) => [success, match, exact]),
  ).toEqual([
    [1, 1, 1],
    [0, 0, null],
    [null, null, null],
  ]);
  expect(metrics).toMatchObject({ success: 0.5, tool_calls_f1: 0.5, exact_match: 1 });
});

test('a turn without scripted results ends with the calls, which get an empty result in the next turn', async () => {
  const model = await scriptedModel((_asked, nth) => (nth === 1 ? calling(['search', '{"to": ']) : 'Done.'));
  const { rows } = await answersOf([{ examples: 'a', tools: TOOLS, turns: ['a', 'b'] }], model);
  expect(rows[0]).toMatchObject({
    predictions: 'Done.',
    replies: ['[{"name":"search","arguments":"{\\"to\\": "}]', 'Done.'],
    calls: [{ turn: 1, name: 'search', arguments: '{"to": ' }],
  });
  expect(model.asked[1]?.body.messages.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'tool',
    'user',
  ]);
});

test('a model that calls tools in a loop is stopped after max_steps, and results are used in order', async () => {
  const model = await scriptedModel(() => calling(['poll', {}]));
  const row = {
    examples: 'Wait.',
    tool_results: [
      { name: 'poll', result: 'one' },
      { name: 'poll', result: 'two' },
    ],
    max_steps: '4',
  };
  const { rows } = await answersOf([row], model);
  expect(rows[0]?.['calls']).toHaveLength(4);
  const contents = model.asked.at(-1)?.body.messages.filter(({ role }) => role === 'tool');
  expect(contents?.map(({ content }) => content)).toEqual(['one', 'two', 'two']);
});

test('a conversation that grows without limit is a failed row', async () => {
  const model = await scriptedModel(() =>
    calling(...Array.from({ length: 200 }, () => ['poll', {}] as const)),
  );
  const large = await scriptedModel(() => calling(['poll', {}]));
  const many = await answersOf([{ examples: 'x', tool_results: { poll: 'x' } }], model);
  expect(many.rows[0]?.['error']).toBe('The model made 200 calls in one response; the maximum is 128.');
  const results = { poll: 'x'.repeat(900_000) };
  const long = await answersOf([{ examples: 'x', tool_results: results }], large);
  expect(long.rows[0]?.['error']).toBe('The conversation has more than 4000000 characters.');
});

test('messages before the turn are sent, and the prompt is applied to each turn', async () => {
  const model = await scriptedModel(() => 'Fine.');
  const messages = [
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
    { role: 'assistant', content: 'Hello.' },
    { role: 'user', content: 'How are you?' },
  ];
  const spec = inferenceOf(backendAt(model.url), {
    ...TASK,
    prompt: '{{name}}: {{examples}}',
    fewShot: [{ name: 'Bob', examples: 'Bye', ground_truth: 'See you.' }],
  });
  await withWork(spec, async (work) => {
    await runAll(work, [{ examples: 'ignored', name: 'Ann', messages }]);
  });
  expect(model.asked[0]?.body.messages).toEqual([
    { role: 'user', content: 'Bob: Bye' },
    { role: 'assistant', content: 'See you.' },
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'user', content: 'Ann: How are you?' },
  ]);
});

test('lists and objects can be JSON in the cells of a CSV file', async () => {
  const model = await agent();
  const text = Object.fromEntries(
    Object.entries(TRIP).map(([name, cell]) => [
      name,
      typeof cell === 'string' ? cell : JSON.stringify(cell),
    ]),
  );
  const { rows } = await answersOf([text], model);
  expect((await scoresOf(rows)).scores[0]).toMatchObject({ success: 1, tool_calls_f1: 1 });
});
