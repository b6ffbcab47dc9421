import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { MODEL_COMMANDS } from '#contract/model-commands.ts';
import { COMMANDS } from '#cli/index.ts';
import { runCliHere } from '../helpers/cli-here.ts';
import { copyModel } from '../helpers/models.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { verifies, verifiesOnce } from './verifies.ts';

const folder = useTempFolder();
const run = (...args: string[]) => runCliHere(args, { cwd: folder() });
const validate = (...args: string[]) => run('validate', ...args, '--cache-dir', TEST_CACHE);

verifiesOnce('first-steps:right-command', async () => {
  const missing = MODEL_COMMANDS.filter((name) => !Object.hasOwn(COMMANDS, name));
  expect(missing.length).toBeGreaterThan(2);
  for (const name of missing) {
    const { exitCode, stdout, stderr } = await run(name, './x.encoder');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(`Run \`./x.encoder ${name}\`.`);
  }
  expect((await run('./model')).stderr).toContain('Run `encoderfile build ./model`.');
  expect((await run('x.encoder')).stderr).toContain('Run `./x.encoder serve`.');
});

verifies('first-steps:text-without-command', async (arm) => {
  const { exitCode, stdout, stderr } = await arm.run('sentiment', ["I can't log in"]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toMatch(
    /^Error: Unknown command "I can't log in"\. To run the model on a text: `\S+ infer 'I can'\\''t log in'`\./,
  );
});

verifiesOnce('first-steps:file-of-a-model', async () => {
  copyModel('embedder', join(folder(), 'model'));
  const { exitCode, stdout } = await validate('model/model.onnx', '--model-type', 'sentence_embedding');
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^Type +sentence_embedding, /m);
});

verifiesOnce('first-steps:assumed-type', async () => {
  copyModel('embedder', join(folder(), 'model'));
  expect((await validate('model')).stderr).toContain(
    'model is of type embedding, because config.json names BertModel\n' +
      'It returns one vector per token. For one vector per text instead, pass --model-type sentence_embedding\n',
  );
});

verifiesOnce('first-steps:generator', async () => {
  const model = copyModel('embedder', join(folder(), 'reranker'));
  const path = join(model, 'config.json');
  const config = JSON.parse(readFileSync(path, 'utf8')) as object;
  writeFileSync(path, JSON.stringify({ ...config, architectures: ['Qwen3ForCausalLM'] }));
  for (const command of [
    ['validate', 'reranker', '-q'],
    ['init', 'reranker'],
    ['build', 'reranker', '-q'],
  ]) {
    const { exitCode, stderr } = await run(...command);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^Error: config\.json of reranker names Qwen3ForCausalLM, which generates text\. .* can be built, from safetensors\./,
    );
    expect(stderr.split('\n')).toHaveLength(1);
  }
  expect(readdirSync(folder())).toEqual(['reranker']);
  expect((await validate('reranker', '-q', '--model-type', 'sentence_embedding')).exitCode).toBe(0);
});

verifiesOnce('first-steps:init-without-a-model', async () => {
  mkdirSync(join(folder(), 'empty'));
  const { exitCode, stdout, stderr } = await run('init', 'empty');
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toMatch(/^Error: No such file: model\.onnx \(searched in empty\)\./);
  expect(readdirSync(folder())).toEqual(['empty']);
});
