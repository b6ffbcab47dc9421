import { expect, test } from 'vitest';
import type { Backend, GenerationConfig } from '#gateway/evaluation/work/work.ts';
import { openWork } from '#gateway/evaluation/work/open-work.ts';
import { scriptedModel } from './scripted-model.ts';
import { evaluationOf, inferenceOf, runAll, signal, toolsOf, withWork } from './working.ts';

const llm = await scriptedModel(({ body, headers }, nth) => {
  const text = body.messages.at(-1)?.content ?? '';
  if (headers.authorization === 'Bearer secret-of-wrong') return { status: 401, error: 'No such key.' };
  if (text.startsWith('refuse')) return { status: 400, error: 'That is too rude.' };
  if (text.startsWith('busy') && nth % 2 === 1)
    return { status: 429, headers: { 'retry-after': '0' }, error: 'Slow down.' };
  if (text.startsWith('think')) return '<think>\nWell, well.\n</think>\n\nDone.';
  if (text.startsWith('ponder')) return '<think>\nWell, well';
  if (text.startsWith('apart')) return { message: { content: 'Done.', reasoning_content: 'Hm.' } };
  if (text.startsWith('nothing')) return { message: { content: null, refusal: 'I will not.' } };
  if (text.startsWith('great')) return 'The label is **positive**.';
  return `Short: ${text}`;
});
const compatible = (own: object = {}): Backend => ({
  kind: 'openai-compatible',
  baseUrl: `${llm.url}/v1`,
  model: 'scripted',
  secretName: 'llm',
  ...own,
});
const summarizing = { task: { task: 'summarization' as const } };
const rowsOf = (...texts: string[]) => texts.map((examples) => ({ examples, ground_truth: 'Short: text' }));

test('for each row, one request with the prompt and the key is sent', async () => {
  const spec = inferenceOf(compatible(), { ...summarizing, systemPrompt: 'Be "short"; $(echo no).' });
  const outcome = await withWork(spec, (work) => runAll(work, rowsOf('text', 'more', 'x', 'y', 'z', 'w')));
  expect(outcome.rows.map((row) => row['predictions'])).toEqual(
    ['text', 'more', 'x', 'y', 'z', 'w'].map((text) => `Short: ${text}`),
  );
  expect(outcome.usage).toEqual({ promptTokens: 60, completionTokens: 24 });
  expect(outcome.rows[0]).toMatchObject({
    reasoning: null,
    prompt_tokens: 10,
    completion_tokens: 4,
    error: null,
  });
  const asked = llm.asked.find(({ body }) => body.messages.at(-1)?.content === 'text');
  expect(asked).toMatchObject({
    path: '/v1/chat/completions',
    headers: { authorization: 'Bearer secret-of-llm' },
    body: {
      model: 'scripted',
      messages: [
        { role: 'system', content: 'Be "short"; $(echo no).' },
        { role: 'user', content: 'text' },
      ],
    },
  });
});

test('parameters that are not set are omitted, and all others are sent unchanged, even zero', async () => {
  const sentFor = async (generation: GenerationConfig): Promise<object> => {
    const spec = inferenceOf(compatible(), { ...summarizing, generation });
    const parameters = await withWork(spec, async (work) => {
      expect((await runAll(work, rowsOf('text'))).failed).toBe(0);
      return work.result().parameters;
    });
    expect(parameters).toMatchObject({ generation });
    const { messages: _, ...sent } = llm.asked.at(-1)?.body ?? {};
    return sent;
  };
  expect(await sentFor({})).toEqual({ model: 'scripted' });
  const all = {
    maxNewTokens: 64,
    temperature: 0,
    topP: 1,
    frequencyPenalty: 0,
    reasoningEffort: 'low',
    seed: 0,
    stop: ['END'],
    responseFormat: { type: 'json_object' },
    tools: [{ type: 'function', function: { name: 'look_up' } }],
    toolChoice: 'required',
  };
  expect(await sentFor(all)).toEqual({
    model: 'scripted',
    max_tokens: 64,
    temperature: 0,
    top_p: 1,
    frequency_penalty: 0,
    reasoning_effort: 'low',
    seed: 0,
    stop: ['END'],
    response_format: { type: 'json_object' },
    tools: [{ type: 'function', function: { name: 'look_up' } }],
    tool_choice: 'required',
  });
});

test('a response with tool calls is stored as the list of calls', async () => {
  const call = (name: string, text: string) => ({
    id: '1',
    type: 'function',
    function: { name, arguments: text },
  });
  const caller = await scriptedModel(() => ({
    message: {
      role: 'assistant',
      content: null,
      tool_calls: [call('find', '{"q": 1}'), call('stop', 'no JSON')],
    },
  }));
  const backend: Backend = { kind: 'openai-compatible', baseUrl: caller.url, model: 'm', secretName: null };
  const { rows } = await withWork(inferenceOf(backend, summarizing), (work) => runAll(work, rowsOf('text')));
  expect(JSON.parse(rows[0]?.['predictions'] as string)).toEqual([
    { name: 'find', arguments: { q: 1 } },
    { name: 'stop', arguments: 'no JSON' },
  ]);
});

test('a failed row contains its error, and the other rows contain their responses', async () => {
  const rows = rowsOf('text', 'refuse', 'busy', 'nothing');
  const { outcome, result } = await withWork(
    inferenceOf(compatible(), { ...summarizing, batchSize: 1 }),
    async (work) => {
      const outcome = await runAll(work, rows);
      return { outcome, result: work.result() };
    },
  );
  expect(outcome.rows.map((row) => row['predictions'])).toEqual(['Short: text', null, 'Short: busy', null]);
  expect(outcome.failed).toBe(2);
  expect(outcome.firstError).toMatch(
    /^The model scripted at .* rejected the request with status 400: That is too rude\.$/,
  );
  expect(outcome.rows[3]?.['error']).toContain('returned no response: I will not.');
  expect(result.metrics).toMatchObject({ avg_prompt_tokens: 10, avg_answer_tokens: 3, error_rate: 0.5 });
});

test('reasoning is separated from the response', async () => {
  const rows = rowsOf('think', 'apart', 'ponder');
  const outcome = await withWork(inferenceOf(compatible(), summarizing), (work) => runAll(work, rows));
  expect(outcome.rows.map((row) => [row['predictions'], row['reasoning']])).toEqual([
    ['Done.', 'Well, well.'],
    ['Done.', 'Hm.'],
    ['', 'Well, well'],
  ]);
});

test('an invalid key is reported without the key and not retried', async () => {
  const before = llm.asked.length;
  const spec = inferenceOf(compatible({ secretName: 'wrong' }), summarizing);
  const outcome = await withWork(spec, (work) => runAll(work, rowsOf('text')));
  expect(outcome.firstError).toContain('rejected the credential with status 401: No such key.');
  expect(outcome.firstError).not.toContain('secret-of-wrong');
  expect(llm.asked.length).toBe(before + 1);
});

test("requests to the gateway use the job's token", async () => {
  const tools = toolsOf({ gateway: { url: `${llm.url}/`, token: 'worker-token-0123' }, trusted: false });
  const backend: Backend = { kind: 'gateway', model: 'openai:good' };
  const spec = inferenceOf(backend, {
    ...summarizing,
    generation: { frequencyPenalty: 1 },
  });
  const outcome = await withWork(spec, (work) => runAll(work, rowsOf('hello')), { tools });
  expect(outcome.rows[0]?.['predictions']).toBe('Short: hello');
  expect(llm.asked.at(-1)).toMatchObject({
    path: '/v1/chat/completions',
    headers: { authorization: 'Bearer worker-token-0123' },
    body: { model: 'openai:good', frequency_penalty: 1 },
  });
});

test('for classification by a language model, its output is parsed as a label', async () => {
  const spec = inferenceOf(compatible(), { labels: ['POSITIVE', 'NEGATIVE'] });
  const rows = rowsOf('great', 'a negative one', 'negative and positive');
  const outcome = await withWork(spec, (work) => runAll(work, rows));
  expect(outcome.rows.map((row) => row['predictions'])).toEqual([
    'POSITIVE',
    'NEGATIVE',
    'Short: negative and positive',
  ]);
  expect(outcome.rows[0]?.['scores']).toBeNull();
});

test("private addresses and files require the operator's permission", async () => {
  const untrusted = toolsOf({ trusted: false });
  const open = (backend: Backend) =>
    openWork(inferenceOf(backend, summarizing), untrusted, null).then((work) => work.close());
  await expect(open(compatible())).rejects.toMatchObject({ code: 'InputError', reason: 'private_address' });
  await expect(open(compatible({ baseUrl: 'file:///etc/passwd' }))).rejects.toMatchObject({
    code: 'InputError',
  });
  await expect(open({ kind: 'encoder-file', path: '/bin/true' })).rejects.toMatchObject({
    reason: 'files_not_allowed',
  });
  const withKey = compatible({ baseUrl: 'https://me:hidden-key@example.com/v1' });
  await expect(open(withKey)).rejects.toThrow(
    /^The model scripted at https:\/\/example\.com\/v1 has an invalid URL\. It must start with http/,
  );
  // Only resolving the name shows that it is private.
  const named = inferenceOf(compatible({ baseUrl: llm.url.replace('127.0.0.1', 'localhost') }), summarizing);
  const outcome = await withWork(named, (work) => runAll(work, rowsOf('text')), { tools: untrusted });
  expect(outcome.firstError).toContain('The gateway operator can allow private addresses for jobs.');
  // The machine's metadata service is never allowed.
  const metadata = inferenceOf(compatible({ baseUrl: 'http://169.254.169.254/v1' }), summarizing);
  await expect(openWork(metadata, toolsOf(), null)).rejects.toMatchObject({ code: 'InputError' });
});

test('text metrics of an experiment are prefixed with the metric name', async () => {
  const metrics = ['rouge', 'meteor', 'bleu', 'exact_match', 'token_length'];
  const rows = [
    { examples: 'a', ground_truth: 'the cat sat on the mat', predictions: 'the cat sat on the mat' },
    { examples: 'b', ground_truth: 'the cat sat on the mat', predictions: '' },
  ];
  const { outcome, result } = await withWork(
    evaluationOf({ task: { task: 'summarization' }, metrics }),
    async (work) => {
      const outcome = await runAll(work, rows);
      return { outcome, result: work.result() };
    },
  );
  expect(result.metrics).toMatchObject({
    rouge_rouge1_mean: 0.5,
    rouge_rougeLsum_mean: 0.5,
    exact_match: 0.5,
    meteor_meteor_mean: expect.any(Number),
    bleu_bleu_mean: expect.closeTo(50, 9),
    token_length_pred_token_length_mean: 4,
  });
  expect(outcome.rows.map((row) => row['rouge_rouge1_mean'])).toEqual([1, 0]);
});

test('a batch runs normally after an earlier batch was aborted', async () => {
  const stop = new AbortController();
  await withWork(inferenceOf(compatible(), summarizing), async (work) => {
    const running = work.run({ firstRow: 0, rows: rowsOf('text', 'text') }, stop.signal);
    stop.abort();
    await expect(running).rejects.toThrow('aborted');
    expect((await work.run({ firstRow: 0, rows: rowsOf('text') }, signal)).failed).toBe(0);
  });
});
