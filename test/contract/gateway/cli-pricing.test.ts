import { expect } from 'vitest';
import { runProcess } from '../../helpers/run-process.ts';
import { verifiesOnce } from '../verifies.ts';
import { GATEWAY_COMMANDS } from './command-arms.ts';
import { useStoreFolder } from './command-folder.ts';
import { verifiesGatewayCommand } from './verifies.ts';
import { builtProgram } from '../../helpers/built.ts';

const folderOf = useStoreFolder();

verifiesGatewayCommand('gcli:pricing', async (arm) => {
  const { done, json, refused } = folderOf(arm);
  await done('migrate');
  expect(await done('pricing', 'list')).toBe('');
  const model = 'openrouter:meta/llama-3:free';
  const old = ['--input', '0.15', '--output', '$0.60', '--effective', '2026-01-31'];
  expect(await json('pricing', 'set', model, ...old)).toEqual({
    model_key: model,
    input_price_per_million: 0.15,
    output_price_per_million: 0.6,
    cached_input_price_per_million: null,
    cache_write_price_per_million: null,
    cache_write_1h_price_per_million: null,
    tiers: [],
    effective_at: '2026-01-31T00:00:00Z',
  });
  await done('pricing', 'set', model, '--input', '2.5', '--output', '10', '--cached-input', '1.25');
  await done(
    'pricing',
    'set',
    model,
    '--input',
    '3',
    '--output',
    '11',
    '--effective',
    '2999-01-01T12:00:00+01:00',
  );
  const [now, ...others] = await json('pricing', 'list');
  expect([now.input_price_per_million, now.cached_input_price_per_million, others]).toEqual([2.5, 1.25, []]);
  expect(await done('pricing', 'list')).toMatch(
    /^MODEL +INPUT PER 1M +CACHED INPUT +OUTPUT PER 1M +SINCE\nopenrouter:\S+ +\$2\.50 +\$1\.25 +\$10\.00 /,
  );
  const history = await json('pricing', 'history', model);
  expect(history.map((price: Record<string, unknown>) => price['input_price_per_million'])).toEqual([
    3, 2.5, 0.15,
  ]);
  expect(history[0].effective_at).toBe('2999-01-01T11:00:00Z');
  expect(await done('pricing', 'history', model)).toMatch(
    /\$3\.00 .*\n.*\$2\.50 .*\n.*\$0\.15 .*2026-01-31 00:00Z\n$/,
  );
  const asWritten = 'OpenRouter/meta/llama-3:free';
  expect(await json('pricing', 'history', asWritten)).toEqual(history);
  expect(await done('pricing', 'delete', asWritten)).toBe(`Deleted the prices of ${model}.\n`);
  expect(await json('pricing', 'list')).toEqual([]);
  expect(await json('pricing', 'set', ' OpenAI/gpt-4o', '--input', '1', '--output', '2')).toMatchObject({
    model_key: 'openai:gpt-4o',
  });
  expect(await refused(1, 'pricing', 'set', 'gpt-4o', '--input', '1', '--output', '2')).toContain(
    'Invalid model_key "gpt-4o". Use the format `provider:model`.',
  );
});

const SONNET = ['--input', '3', '--output', '15', '--cached-input', '0.3', '--cache-write', '3.75'];

verifiesGatewayCommand('gcli:pricing:cache', async (arm) => {
  const { done, json, write, refused, run } = folderOf(arm);
  await done('migrate');
  const model = 'anthropic:claude-sonnet-4-5';
  const hour = ['--cache-write-1h', '6'];
  const tier = '200000:input=6,output=22.50, cached-input=$0.6,cache-write=7.5,cache-write-1h=12';
  const cache = {
    cached_input_price_per_million: 0.3,
    cache_write_price_per_million: 3.75,
    cache_write_1h_price_per_million: 6,
  };
  const long = {
    above_prompt_tokens: 200_000,
    input_price_per_million: 6,
    output_price_per_million: 22.5,
    cached_input_price_per_million: 0.6,
    cache_write_price_per_million: 7.5,
    cache_write_1h_price_per_million: 12,
  };
  const price = await json('pricing', 'set', model, ...SONNET, ...hour, '--tier', tier);
  expect(price).toMatchObject({ ...cache, tiers: [long] });
  await done('pricing', 'set', 'openai:gpt', '--input', '1', '--output', '2');
  expect(await done('pricing', 'list')).toMatch(
    /^MODEL +INPUT PER 1M +CACHED INPUT +CACHE WRITE +WRITE 1H +OUTPUT PER 1M +SINCE *\nanthropic:\S+ +\$3\.00 +\$0\.30 +\$3\.75 +\$6\.00 +\$15\.00 .*\nabove 200000 tokens +\$6\.00 +\$0\.60 +\$7\.50 +\$12\.00 +\$22\.50 *\nopenai:gpt +\$1\.00 +- +- +- +\$2\.00 /,
  );

  const all = await json('pricing', 'list');
  await done('pricing', 'delete', model);
  await done('pricing', 'import', write('all.json', JSON.stringify(all)));
  expect(await json('pricing', 'list')).toEqual(all);
  await done('pricing', 'delete', model);
  const cell = JSON.stringify([long]).replaceAll('"', '""');
  const columns = [
    'model_key',
    'input_price_per_million',
    'output_price_per_million',
    ...Object.keys(cache),
    'tiers',
  ];
  await done(
    'pricing',
    'import',
    write('all.csv', `${columns.join(',')}\n${model},3,15,0.3,3.75,6,"${cell}"\n`),
  );
  const [imported] = await json('pricing', 'list');
  expect(imported).toEqual({ ...price, effective_at: imported.effective_at });

  const set = async (...more: string[]) => await refused(2, 'pricing', 'set', model, ...SONNET, ...more);
  expect(await set('--tier', '200k')).toContain(
    '--tier: "200k" is not a tier, e.g. 200000:input=6,output=22.50.',
  );
  expect(await set('--tier', '9:in=6')).toContain(
    '--tier: "9:in=6" has the unknown price "in"; use input, output, cached-input, cache-write, cache-write-1h.',
  );
  expect(await set('--tier', '9:input=x')).toContain(
    'has input=x, which is not an amount in dollars, e.g. 5 or 2.50.',
  );
  expect(await set('--tier', '9:input=1')).toContain('has no output, e.g. 9:input=6,output=22.50.');
  expect(await set('--tier', '9:input=1,input=2')).toContain('has input twice; remove one of them.');
  expect(
    await refused(1, 'pricing', 'set', model, ...SONNET, '--tier', '9:input=1,output=1,cached-input=1'),
  ).toContain(
    'The tier above 9 tokens has no cache_write_price_per_million, which is required because the price itself has one',
  );
  const wrong = [
    { model_key: 'a:1', input_price_per_million: 1, output_price_per_million: 1, tiers: [{ above: 1 }] },
  ];
  const { exitCode, stderr: told } = await run(
    'pricing',
    'import',
    write('wrong.json', JSON.stringify(wrong)),
  );
  expect(exitCode).toBe(1);
  expect(told).toContain('tiers[0]: unknown member "above"');
  expect(told).toContain(
    'tiers[0]: input_price_per_million is missing; set it in dollars per million tokens.',
  );
  expect(told).toContain(
    'tiers[0]: above_prompt_tokens is missing; it must be a whole number of at least 1.',
  );
});

const CSV = `\uFEFFmodel_key,input_price_per_million,output_price_per_million,cached_input_price_per_million,effective_at
openai:gpt-4o,2.5,10,1.25,2026-01-31
"openai:a ""b"", c",0,0,,
`;

verifiesGatewayCommand('gcli:pricing:import', async (arm) => {
  const { done, json, write, refused, run } = folderOf(arm);
  await done('migrate');
  const csv = write('prices.csv', CSV);
  expect(await done('pricing', 'import', csv)).toBe('Set 2 prices of 2 models.\n');
  const prices = await json('pricing', 'list');
  expect(prices).toMatchObject([
    { model_key: 'openai:a "b", c', input_price_per_million: 0, cached_input_price_per_million: null },
    {
      model_key: 'openai:gpt-4o',
      cached_input_price_per_million: 1.25,
      effective_at: '2026-01-31T00:00:00Z',
    },
  ]);
  const both = { input_price_per_million: 1, output_price_per_million: '2' };
  const list = write('list.json', JSON.stringify([{ model_key: 'a:1', ...both }]));
  expect(await json('pricing', 'import', list)).toEqual({ prices: 1, models: 1 });
  expect(
    await done('pricing', 'import', write('map.json', JSON.stringify({ 'A/2': both, 'a:1': both }))),
  ).toBe('Set 2 prices of 2 models.\n');
  expect(await json('pricing', 'list')).toHaveLength(4);

  expect((await json('pricing', 'list'))[1]).toMatchObject({ model_key: 'a:2' });
  const nameless = write('nameless.json', JSON.stringify({ gpt: both }));
  expect(await refused(1, 'pricing', 'import', nameless)).toContain(
    'model_key is "gpt", which is not a model; write it as provider:model.',
  );

  const bad = write(
    'bad.csv',
    'model_key,input_price_per_milion,output_price_per_million,effective_at\na:9,1,2,\n,-1,x,soon\n',
  );
  const { exitCode, stderr } = await run('pricing', 'import', bad);
  expect(exitCode).toBe(1);
  expect(stderr).toBe(
    `Error: 7 problems; no prices were changed.\n` +
      `  ${bad}:2: unknown member "input_price_per_milion"; did you mean \`input_price_per_million\`? Known members are model_key, input_price_per_million, output_price_per_million, cached_input_price_per_million, cache_write_price_per_million, cache_write_1h_price_per_million, web_search_price, searched_request_price, image_price, query_price, image_input_price_per_million, image_output_price_per_million, tiers, effective_at.\n` +
      `  ${bad}:2: input_price_per_million is missing; set it in dollars per million tokens.\n` +
      `  ${bad}:3: unknown member "input_price_per_milion"; did you mean \`input_price_per_million\`? Known members are model_key, input_price_per_million, output_price_per_million, cached_input_price_per_million, cache_write_price_per_million, cache_write_1h_price_per_million, web_search_price, searched_request_price, image_price, query_price, image_input_price_per_million, image_output_price_per_million, tiers, effective_at.\n` +
      `  ${bad}:3: model_key is missing; write it as provider:model.\n` +
      `  ${bad}:3: input_price_per_million is missing; set it in dollars per million tokens.\n` +
      `  ${bad}:3: output_price_per_million is "x", which is not an amount in dollars, e.g. 5 or 2.50.\n` +
      `  ${bad}:3: effective_at is "soon", which is not a date, e.g. "2027-01-31".\n`,
  );
  expect(await json('pricing', 'list')).toHaveLength(4);
  expect(await refused(1, 'pricing', 'import', write('x.json', '[{"a": ]'))).toContain(
    'is not valid JSON: unexpected "]"',
  );
  expect(await refused(1, 'pricing', 'import', write('x.csv', 'a,"b\n'))).toContain('is not valid CSV');
  expect(await refused(1, 'pricing', 'import', write('none.csv', ''))).toContain('is empty');
  expect(await refused(1, 'pricing', 'import', write('none.json', '[]'))).toContain('contains no prices');
  expect(await refused(1, 'pricing', 'import', 'no-such-file.csv')).toContain('no-such-file.csv');
});

verifiesOnce('gcli:stdin', async () => {
  const { done, json, path } = folderOf(GATEWAY_COMMANDS);
  await done('migrate');
  await done('pricing', 'set', 'a:1', '--input', '1', '--output', '2');
  const input = await done('pricing', 'list', '--json');
  await done('pricing', 'delete', 'a:1');
  const args = ['pricing', 'import', '-', '--data-dir', path('data')];
  expect(await runProcess(builtProgram('gateway'), args, { input })).toMatchObject({
    exitCode: 0,
    stderr: '',
  });
  expect(await json('pricing', 'list')).toEqual(JSON.parse(input));
  expect(await runProcess(builtProgram('gateway'), args, { input: '{' })).toMatchObject({
    exitCode: 1,
    stderr: 'Error: Standard input is not valid JSON: unexpected end of input.',
  });
});
