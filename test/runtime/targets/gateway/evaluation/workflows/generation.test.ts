import { expect, test } from 'vitest';
import { PRESETS } from '#gateway/providers/adapters/presets.ts';
import { startFixture } from '../../fixture-provider.ts';
import { useGateway } from '../../api/use-gateway.ts';
import { providerOf } from '../../test-provider.ts';
import { doJobs } from './do-jobs.ts';
import { requestsTo } from './workflow-requests.ts';

const [openai, anthropic] = [await startFixture('openai'), await startFixture('anthropic')];
const gateway = useGateway(() => ({
  providers: [
    providerOf('openai', openai, { dialect: PRESETS['openai']?.dialect }),
    providerOf('anthropic', anthropic),
  ],
}));
const FIXTURES = { openai, anthropic };

/** The body that a provider's model received for a workflow, without texts, and the settings that the workflow shows. */
async function sentBy(provider: keyof typeof FIXTURES, generation_config?: object | null) {
  const { ask, context, listen } = gateway();
  const { upload, experiment, workflow } = requestsTo(gateway());
  const dataset = (await upload('examples,ground_truth\nHello,Hi\n')).body.id;
  const id = await experiment(dataset, { task_definition: { task: 'summarization' } });
  const made = await workflow(id, {
    provider,
    model: 'good',
    metrics: ['exact_match'],
    ...(generation_config !== undefined && { generation_config }),
  });
  await doJobs(context.jobs, await listen());
  const { body } = await ask('GET', `/api/v1/workflows/${made.body.id}`);
  const inference = body.jobs.find(({ type }: { type: string }) => type === 'inference');
  const {
    messages: _messages,
    system: _system,
    ...sent
  } = JSON.parse((await FIXTURES[provider].last()).body);
  const shown = inference.parameters.find(({ name }: { name: string }) => name === 'generation');
  return { status: body.status, sent, shown: shown.value };
}

test.each([[undefined], [null], [{}], [{ temperature: null, top_p: null, max_new_tokens: null }]])(
  'a model receives no parameters that the workflow does not set: %j',
  async (given) => {
    expect(await sentBy('openai', given)).toEqual({
      status: 'succeeded',
      sent: { model: 'good' },
      shown: {},
    });
    // Anthropic requires a limit: the gateway's default for this provider.
    expect(await sentBy('anthropic', given)).toEqual({
      status: 'succeeded',
      sent: { model: 'good', max_tokens: 4096 },
      shown: {},
    });
  },
);

test('a judge accepts separate parameters', async () => {
  const { ask, context, listen } = gateway();
  const { upload, experiment, workflow } = requestsTo(gateway());
  const dataset = (await upload('examples,ground_truth\nHello,Hi\n')).body.id;
  const id = await experiment(dataset, {
    task_definition: { task: 'translation', source_language: 'de', target_language: 'en' },
  });
  const made = await workflow(id, {
    provider: 'openai',
    model: 'good',
    metrics: ['g_eval_translation'],
    llm_as_judge: { model_name: 'openai:good', generation_config: { temperature: 0, top_p: null } },
    max_error_rate: 1,
  });
  await doJobs(context.jobs, await listen());
  const { body } = await ask('GET', `/api/v1/workflows/${made.body.id}`);
  const { messages: _messages, ...sent } = JSON.parse((await openai.last()).body);
  expect(sent).toEqual({ model: 'good', temperature: 0 });
  const [{ parameters }] = body.jobs;
  expect(parameters).toContainEqual({ name: 'judge_generation', value: { temperature: 0 } });
});

test("a model receives the workflow's settings, with the token limit under OpenAI's current field name", async () => {
  const given = { max_new_tokens: 9, temperature: 0.5, top_p: 0.9, frequency_penalty: 0 };
  const shown = { maxNewTokens: 9, temperature: 0.5, topP: 0.9, frequencyPenalty: 0 };
  expect(await sentBy('openai', given)).toEqual({
    status: 'succeeded',
    sent: { model: 'good', max_completion_tokens: 9, temperature: 0.5, top_p: 0.9, frequency_penalty: 0 },
    shown,
  });
  expect(await sentBy('anthropic', given)).toEqual({
    status: 'succeeded',
    sent: { model: 'good', max_tokens: 9, temperature: 0.5, top_p: 0.9 },
    shown,
  });
});
