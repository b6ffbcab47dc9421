import { describe, expect, test } from 'vitest';
import { useGateway } from '../../api/use-gateway.ts';
import { scriptedModel } from '../work/scripted-model.ts';
import { doJobs } from './do-jobs.ts';
import { requestsTo } from './workflow-requests.ts';

/** Both models add correctly; with the brief prompt, the small one only adds small numbers. */
const model = await scriptedModel(({ body }) => {
  const [system, user] = body.messages;
  if (body.model === 'judge') return `{"score": ${user?.content.includes('"output":"12"') === true ? 4 : 9}}`;
  const [one = 0, other = 0] = (user?.content ?? '').split('+').map(Number);
  const isWrong = body.model === 'small' && system?.content === 'Add.' && one > 3;
  return isWrong ? '12' : String(one + other);
});
const gateway = useGateway();

const ROWS = Array.from({ length: 8 }, (_, at) => ({
  examples: `${at + 1}+1`,
  ground_truth: String(at + 2),
  human: at < 3 ? 1 : at < 6 ? 0 : null,
}));

describe('an experiment with two prompts and two models', () => {
  const run = async () => {
    const { ask, context, listen, clock } = gateway();
    const { upload, experiment, workflow } = requestsTo(gateway());
    const text = ROWS.map((row) => JSON.stringify(row)).join('\n');
    const dataset = (await upload(text, 'sums.jsonl')).body.id;
    const id = await experiment(dataset, { task_definition: { task: 'text-generation' } });
    for (const [prompt_name, system_prompt] of [
      ['brief', 'Add.'],
      ['careful', 'Add the two numbers carefully.'],
    ] as const) {
      for (const name of ['small', 'large']) {
        clock.advance(1);
        const { body } = await workflow(id, {
          provider: 'llamafile',
          base_url: `${model.url}/v1`,
          name: `${name} (${prompt_name})`,
          model: name,
          system_prompt,
          prompt_name,
          metrics: ['exact_match'],
          custom_metrics: [{ name: 'right', rubric: 'The sum is right.' }],
          llm_as_judge: { model_name: 'judge', model_base_url: `${model.url}/v1` },
        });
        expect(body.id ?? body).toEqual(expect.any(String));
      }
    }
    await doJobs(context.jobs, await listen());
    return { ask, path: `/api/v1/experiments/${id}` };
  };

  test('the matrix has a cell for each, and a frontier', async () => {
    const { ask, path } = await run();
    const { body } = await ask('GET', `${path}/matrix?metric=exact_match&by=tokens`);
    expect(body).toMatchObject({
      metric: 'exact_match',
      higher_is_better: true,
      prompts: ['brief', 'careful'],
      models: ['small', 'large'],
    });
    expect(body.cells).toHaveLength(4);
    expect(body.cells[0]).toMatchObject({
      prompt: 'brief',
      model: 'small',
      complete: true,
      value: 0.375,
      interval: { low: expect.any(Number), high: expect.any(Number) },
      cost_per_row: null,
      tokens_per_row: 14,
      on_frontier: false,
      frontier_probability: expect.any(Number),
    });
    expect(body.cells[3]).toMatchObject({
      model: 'large',
      value: 1,
      on_frontier: true,
      frontier_probability: 1,
    });
    expect((await ask('GET', `${path}/matrix`)).body.cells[3].on_frontier).toBeNull();
    const markdown = (await ask('GET', `${path}/matrix?metric=exact_match&by=tokens&format=markdown`)).text;
    expect(markdown).toMatch(/\| brief {3}\| 0\.375 \[0\.\d+, 0\.\d+\], 14\.000 /);
    expect(markdown).toContain('| large | careful | 1.000 [1.000, 1.000] | 14.000');
    expect((await ask('GET', `${path}/matrix?format=markdown`)).text).toContain('No model has a price.');
    const svg = await ask('GET', `${path}/matrix?by=tokens&format=svg`);
    expect(svg.text).toMatch(/^<svg [^]*<polyline points="[\d., ]+"[^]*large \(careful\)[^]*<\/svg>\n$/);
    expect((await ask('GET', `${path}/matrix?metric=exact`)).status).toBe(422);
    expect((await ask('GET', '/api/v1/experiments/none/matrix')).status).toBe(404);
  });

  test('the agreement of the judge and a person is measured', async () => {
    const { ask, path } = await run();
    const { body } = await ask('GET', `${path}/agreement?raters=human,small%20(brief)/right&threshold=0.5`);
    expect(body).toMatchObject({
      level: 'nominal',
      raters: [
        { name: 'human', rated: 6 },
        { name: 'small (brief)/right', rated: 8 },
      ],
      pairs: [{ first: 'human', rows: 6, equal: { value: 1 }, kappa: { value: 1 }, linear_kappa: null }],
      fleiss_kappa: null,
      krippendorff_alpha: { value: 1 },
    });
    const all = (await ask('GET', `${path}/agreement?raters=*/exact_match&level=ordinal`)).body;
    expect([all.raters.length, all.pairs.length]).toEqual([4, 6]);
    expect(all.fleiss_kappa.value).toEqual(expect.any(Number));
    const markdown = await ask('GET', `${path}/agreement?raters=human,*/predictions&format=markdown`);
    expect(markdown.text).toContain("| Krippendorff's alpha | ");
    const messageOf = async (query: string) => {
      const { status, body: error } = await ask('GET', `${path}/agreement?${query}`);
      return [status, error.detail?.[0]?.msg ?? error.error?.message];
    };
    expect(await messageOf('raters=human')).toEqual([
      422,
      expect.stringContaining('requires 2 to 10 raters, not 1'),
    ]);
    expect(await messageOf('raters=human,humen')).toEqual([
      422,
      expect.stringContaining('Rater "humen" is not a column of the dataset; did you mean `human`?'),
    ]);
    expect(await messageOf('raters=human,tiny/right')).toEqual([
      422,
      expect.stringContaining('the experiment has no model "tiny"'),
    ]);
    expect(await messageOf('raters=human,*/none')).toEqual([
      422,
      expect.stringContaining('has no ratings yet, or no such column'),
    ]);
    expect(await messageOf('raters=human,human&threshold=x')).toEqual([
      422,
      expect.stringContaining('threshold must be a number, not "x"'),
    ]);
  });
});
