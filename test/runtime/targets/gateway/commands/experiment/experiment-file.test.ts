import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readExperimentFile } from '#gateway/commands/experiment/experiment-file.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';

const folder = useTempFolder();

test('each language model runs with every prompt and repetition, and an encoder runs once', async () => {
  const path = join(folder(), 'topics.yml');
  const lines = [
    'dataset: topics.csv',
    'max_samples: 10',
    'sampling: random',
    'repeats: 2',
    'metrics: [accuracy]',
    'system_prompt: Be short.',
    'prompts: [{name: a, prompt: "{{examples}}"}, {name: b, prompt: "{{x}}", system_prompt: No.}]',
    'models: [{model: "openai:m"}, {name: e, encoder: "http://127.0.0.1:1"}]',
    'assertions: [{metric: accuracy, min: 1}]',
  ];
  writeFileSync(path, lines.join('\n'));
  const file = await readExperimentFile(path);
  expect(file).toMatchObject({
    name: 'topics',
    maxSamples: 10,
    sampling: 'random',
    seed: undefined,
    assertions: [{ metric: 'accuracy', min: 1 }],
  });
  const shared = { metrics: ['accuracy'], system_prompt: 'Be short.' };
  const llm = { ...shared, provider: 'gateway', model: 'openai:m' };
  const [a, b] = [
    { ...llm, prompt: '{{examples}}', prompt_name: 'a' },
    { ...llm, prompt: '{{x}}', system_prompt: 'No.', prompt_name: 'b' },
  ];
  expect(file.workflows).toEqual([
    { ...a, name: 'openai:m (a)' },
    { ...a, name: 'openai:m (a) #2', repeat: 2 },
    { ...b, name: 'openai:m (b)' },
    { ...b, name: 'openai:m (b) #2', repeat: 2 },
    {
      ...shared,
      provider: 'encoder',
      model: 'http://127.0.0.1:1',
      base_url: 'http://127.0.0.1:1',
      name: 'e',
    },
  ]);
});
