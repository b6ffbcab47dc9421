import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import { LABELLED } from '../../runtime/targets/gateway/evaluation/workflows/workflow-requests.ts';
import { useStoreFolder } from './command-folder.ts';
import { providersFor } from './config.ts';
import { verifiesGatewayCommand } from './verifies.ts';

const [encoder, openai] = [await startFixture('encoder'), await startFixture('openai')];
const folder = useStoreFolder();

const fileOf = (...models: readonly string[]): string =>
  ['name: guards', 'dataset: guards.csv', 'task: text-classification', 'models:', ...models, ''].join('\n');
const GUARD = `  - {name: guard, encoder: "${encoder.url}", metrics: [accuracy]}`;

verifiesGatewayCommand('gateway:experiment-run', async (arm) => {
  const { run, done, json, refused, write, path } = folder(arm);
  write('guards.csv', LABELLED);
  const { exitCode, stdout, stderr } = await run(
    'experiment',
    'run',
    '--file',
    write('guards.yml', fileOf(GUARD)),
  );
  expect([exitCode, stdout]).toEqual([
    0,
    expect.stringMatching(/^# guards\n[^]*\| guard +\| succeeded \| 4 of 4 +\| 0\.750 \[/),
  ]);
  expect(stderr).toContain('guard: succeeded');
  const [{ id }] = await json('experiment', 'list');
  expect(await done('experiment', 'list')).toContain('guard (succeeded)');
  expect(await done('experiment', 'compare', id)).toBe(stdout);
  expect(await done('experiment', 'compare', id, '--format', 'csv')).toContain(',guard,');
  const report = path('report.html');
  await done('experiment', 'report', id, '-o', report);
  expect(readFileSync(report, 'utf8')).toMatch(/^<!doctype html>[^]*"importmap"[^]*"name":"guards"/);
  expect(await done('experiment', 'report', id)).toMatch(/^<!doctype html>/);
  expect(await refused(1, 'experiment', 'report', id, '-o', path('none/report.html'))).toContain(
    'its folder does not exist',
  );
});

verifiesGatewayCommand('gateway:experiment-run:failed', async (arm) => {
  const { run, refused, write } = folder(arm, { providers: providersFor({ openai }) });
  write('guards.csv', LABELLED);
  const path = write(
    'guards.yml',
    fileOf(
      GUARD,
      '  - {name: no, model: "openai:fails-400"}',
      '  - {name: skips, model: "openai:fails-400", max_error_rate: 1, failures: skipped}',
      '  - {model: "nobody:x"}',
    ),
  );
  const { exitCode, stdout, stderr } = await run('experiment', 'run', '--file', path);
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining('## Not compared\n\n- no: failed')]);
  expect(stdout).toMatch(/\| skips +\| succeeded \| 0 of 4 +\|/);
  expect(stdout).toContain('Failed rows are skipped');
  expect(stderr).toContain('nobody:x: refused: ');
  const wrong = write('wrong.yml', 'dataset: guards.csv\nmodel: x\n');
  expect((await run('experiment', 'run', '--file', wrong)).stderr).toContain(
    `${wrong}:2:1  unknown key \`model\``,
  );
  expect(await refused(2, 'experiment', 'run')).toContain('--file');
});

verifiesGatewayCommand('gateway:experiment-run:prompts', async (arm) => {
  const { run, write } = folder(arm, { providers: providersFor({ openai }) });
  write('topics.csv', 'examples,source,ground_truth\nHello,Mail,Hi\n');
  const lines = [
    'dataset: topics.csv',
    'metrics: [exact_match]',
    'prompts:',
    '  - {name: shots, prompt: "{{source}}: {{examples}}", few_shot: [{source: Blog, examples: A, ground_truth: B}]}',
    '  - {name: wrong, prompt: "{{sorce}}"}',
    'models: [{name: m, model: "openai:good"}, {name: n, model: "openai:good@2"}]',
  ];
  const ran = await run('experiment', 'run', '--file', write('topics.yml', lines.join('\n')));
  expect([ran.exitCode, ran.stderr]).toEqual([
    1,
    expect.stringContaining(
      'm (wrong): refused: The prompt contains {{sorce}}, but the dataset has no such column',
    ),
  ]);
  for (const model of ['m', 'n'])
    expect(ran.stdout).toMatch(new RegExp(`\\| ${model} \\(shots\\) \\| succeeded \\| 1 of 1`));
  expect(ran.stderr).toContain('n (wrong): refused: ');
  const { messages } = JSON.parse((await openai.last()).body);
  expect(messages.slice(1)).toEqual([
    { role: 'user', content: 'Blog: A' },
    { role: 'assistant', content: 'B' },
    { role: 'user', content: 'Mail: Hello' },
  ]);
});

verifiesGatewayCommand('gateway:experiment-run:assertions', async (arm) => {
  const { run, json, refused, write, path } = folder(arm);
  write('guards.csv', LABELLED);
  const assertions = [
    'assertions:',
    '  - {metric: accuracy, min: 0.7}',
    '  - {metric: accuracy, min: 0.9}',
    '  - {metric: accuracy, max_drop: 0.01}',
  ];
  const file = write('guards.yml', fileOf(GUARD));
  expect((await run('experiment', 'run', '--file', file)).exitCode).toBe(0);
  const [{ id }] = await json('experiment', 'list');
  const strict = write('strict.yml', fileOf(GUARD, ...assertions));
  expect(await refused(1, 'experiment', 'run', '--file', strict)).toContain('Set --baseline');
  const report = path('report.xml');
  const ran = await run('experiment', 'run', '--file', strict, '--baseline', id, '--junit', report);
  expect(ran.exitCode).toBe(1);
  expect(ran.stderr).toContain('guard: accuracy >= 0.9: accuracy is 0.75; the minimum is 0.9.');
  expect(ran.stderr).toContain('2 of 3 assertions passed.');
  expect(ran.stdout).toContain('| guard | accuracy | 0.75 | 0.75 | 0 |');
  expect(readFileSync(report, 'utf8')).toContain(
    '<testsuites name="guards" tests="4" failures="1" errors="0">',
  );
});

verifiesGatewayCommand('gateway:experiment-run:stored', async (arm) => {
  const { run, json, refused, write, path } = folder(arm, { providers: providersFor({ openai }) });
  const kept = ['--data-dir', path('data')];
  const tools = [{ type: 'function', function: { name: 'find', parameters: { type: 'object' } } }];
  const row = (content: string) =>
    JSON.stringify({
      examples: content,
      ground_truth: 'Hello',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Earlier' },
        { role: 'assistant', content: 'Yes?' },
        { role: 'user', content },
      ],
      tools,
    });
  write('rows.jsonl', `${row('Hi')}\n`);
  const lines = (dataset: string) => [
    `dataset: ${dataset}`,
    'task: text-generation',
    'metrics: [exact_match]',
    'models: [{name: m, model: "openai:good"}]',
    'assertions: [{metric: exact_match, max_drop: 0}, {metric: answered_share, min: 1}]',
    '',
  ];
  const first = write('first.yml', lines('rows.jsonl').join('\n'));
  expect(await refused(1, 'experiment', 'run', '--file', first, '--baseline', path('none.json'))).toContain(
    'does not exist',
  );
  write('wrong.json', '{"workflows": [{"name": 1}]}');
  expect(await refused(1, 'experiment', 'run', '--file', first, '--baseline', path('wrong.json'))).toContain(
    'is not a comparison of models',
  );
  write(
    'baseline.json',
    JSON.stringify({ workflows: [{ name: 'm', metrics: { exact_match: { value: 0 } } }] }),
  );
  const ran = await run(
    'experiment',
    'run',
    '--file',
    first,
    '--baseline',
    path('baseline.json'),
    '--json',
    ...kept,
  );
  expect([ran.exitCode, ran.stderr]).toEqual([0, expect.stringContaining('2 of 2 assertions passed.')]);
  const { workflows } = JSON.parse(ran.stdout);
  const [{ dataset }] = await json('experiment', 'list', ...kept);
  // The output of one run is the baseline of the next one.
  write('baseline.json', ran.stdout);
  expect(workflows).toHaveLength(1);
  const sent = JSON.parse((await openai.last()).body);
  expect(sent.messages).toEqual(JSON.parse(row('Hi')).messages);
  expect(sent.tools).toEqual(tools);

  const stored = lines(`gateway:${dataset}`).concat('system_prompt: Answer in French.', '').join('\n');
  const again = await run(
    'experiment',
    'run',
    '--file',
    write('stored.yml', stored),
    '--baseline',
    path('baseline.json'),
    ...kept,
  );
  expect([again.exitCode, again.stderr]).toEqual([0, expect.stringContaining('2 of 2')]);
  const { messages } = JSON.parse((await openai.last()).body);
  expect(messages.filter(({ role }: { role: string }) => role === 'system')).toEqual([
    { role: 'system', content: 'Answer in French.' },
  ]);
  expect(messages).toHaveLength(4);
  const unknown = write('unknown.yml', lines('gateway:none').join('\n'));
  expect(
    await refused(1, 'experiment', 'run', '--file', unknown, '--baseline', path('baseline.json'), ...kept),
  ).toContain('none');
  const mapped = write('mapped.yml', `${lines('gateway:x').join('\n')}columns: {examples: text}\n`);
  expect(
    await refused(1, 'experiment', 'run', '--file', mapped, '--baseline', path('baseline.json')),
  ).toContain('Remove them');
});

verifiesGatewayCommand('gateway:experiment-retry', async (arm) => {
  const { run, done, json, refused, write, path } = folder(arm, { providers: providersFor({ openai }) });
  const stored = ['--data-dir', path('data')];
  write('guards.csv', LABELLED);
  const file = write('guards.yml', fileOf(GUARD, '  - {name: no, model: "openai:fails-400"}'));
  expect((await run('experiment', 'run', '--file', file, ...stored)).exitCode).toBe(1);
  const [{ id }] = await json('experiment', 'list', ...stored);
  const [header, first, ...more] = (await done('experiment', 'rows', id, '--model', 'no', ...stored)).split(
    '\r\n',
  );
  expect(header).toMatch(/^examples,ground_truth,predictions.*error/);
  expect([first, more]).toEqual([expect.stringMatching(/^Hello there,SAFE,,/), ['']]);
  expect((await done('experiment', 'rows', id, '--model', 'guard', ...stored)).split('\r\n')).toHaveLength(6);
  expect((await run('experiment', 'rows', id, ...stored)).stderr).toContain(
    'Set --model to one of: guard, no.',
  );
  expect(await refused(2, 'experiment', 'retry', id, '--max-error-rate', '2')).toContain(
    'a number from 0 to 1',
  );

  const retried = await run(
    'experiment',
    'retry',
    id,
    '--max-error-rate',
    '1',
    '--batch-size',
    '2',
    ...stored,
  );
  expect(retried.stderr).toContain('no: succeeded');
  expect(retried.stderr).not.toContain('guard: inference');
  expect([retried.exitCode, retried.stdout]).toEqual([
    0,
    expect.stringMatching(/\| no +\| succeeded \| 0 of 4 +\|/),
  ]);
});
