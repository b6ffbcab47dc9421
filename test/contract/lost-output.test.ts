import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { builtExecutable } from '../helpers/built.ts';
import { copyModel } from '../helpers/models.ts';
import { FIXTURES, TEST_CACHE } from '../helpers/paths.ts';
import { runCli } from '../helpers/run-cli.ts';
import { type Answer, runProcess } from '../helpers/run-process.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { verifiesOnce } from './verifies.ts';

const folder = useTempFolder();

/** Runs a shell command line, in which `$m` is the executable. Returns the executable's exit code, also in a pipe. */
const shell = (line: string): Promise<Answer> =>
  runProcess('sh', ['-c', line], { cwd: folder(), env: { ...process.env, m: builtExecutable('sentiment') } });

verifiesOnce('build:two-models-at-once', async () => {
  for (const name of ['sentiment', 'embedder']) copyModel(name, join(folder(), name));
  const build = (name: string): Promise<Answer> =>
    runCli(['build', name, '-o', 'same', '--cache-dir', TEST_CACHE], { cwd: folder() });
  const answers = await Promise.all([build('sentiment'), build('embedder')]);
  expect(new Set(answers.map(({ exitCode }) => exitCode))).toEqual(new Set([0, 1]));
  const refused = answers.find(({ exitCode }) => exitCode === 1);
  expect(refused?.stderr).toContain('Waiting for another running build of same');
  expect(refused?.stderr).toMatch(
    /Cannot write same: it already exists and is the model (?:sentiment|embedder), built from another config file\. Pass --force/,
  );
});

verifiesOnce('infer:output:stdin', async () => {
  const text = 'I love this\nI hate this\n';
  writeFileSync(join(folder(), 't.txt'), text);
  for (const flag of ['--output t.txt', '-o t.txt', '--output ./t.txt']) {
    const { exitCode, stderr } = await shell(`"$m" infer --input - --input-format txt ${flag} < t.txt`);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: `Error: Cannot write ${flag.split(' ')[1]}: it is the file on stdin. Choose another output path.`,
    });
    expect(readFileSync(join(folder(), 't.txt'), 'utf8')).toBe(text);
  }
});

verifiesOnce('mcp:lost-output', async () => {
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const closed = await shell(`echo '${ping}' | "$m" mcp >&-`);
  expect(closed.exitCode).toBe(1);
  expect(closed.stderr).toContain(
    'Error: stdout is closed or /dev/null, so no client can read the responses.',
  );
  const gone = await shell(
    `{ { sleep 1; echo '${ping}'; } | "$m" mcp; echo $? > code; } 2> errors | true; until [ -s code ]; do sleep 0.1; done; cat errors >&2; exit $(cat code)`,
  );
  expect(gone.exitCode).toBe(1);
  expect(gone.stderr).toContain(
    'Error: Cannot write to stdout: the client closed it before it had read all responses.',
  );
});

verifiesOnce('infer:closed-stdout', async () => {
  const warning = 'Warning: stdout is closed or discarded, so the results are lost. Pass --out-dir FILE';
  expect((await shell('"$m" infer a >&-')).stderr).toContain(warning);
  expect((await shell('"$m" infer a > /dev/null')).stderr).toBe('');
  expect((await shell('"$m" infer a -o r.json >&-')).stderr).toBe('');
  expect(readFileSync(join(folder(), 'r.json'), 'utf8')).toContain('predictions');
});

verifiesOnce('build:unknown-vocabulary', async () => {
  const model = copyModel('embedder', join(folder(), 'proteins'));
  const words = [
    '[PAD]',
    '[UNK]',
    '[CLS]',
    '[SEP]',
    '[MASK]',
    ...'L A G V S E R T I D P K Q N F Y M H W C X'.split(' '),
  ];
  const config = JSON.parse(readFileSync(join(FIXTURES, 'models/embedder/config.json'), 'utf8')) as object;
  writeFileSync(
    join(folder(), 'proteins.yml'),
    `encoderfile:\n  name: x\n  model_type: embedding\n  path:\n    model_config_path: ${model}/config.json\n    model_weights_path: ${model}/model.onnx\n    tokenizer_path: ./vocab.txt\n`,
  );
  writeFileSync(join(model, 'config.json'), JSON.stringify(config));
  writeFileSync(join(folder(), 'vocab.txt'), `${words.join('\n')}\n`);
  const { exitCode, stderr } = await runCli(
    ['validate', '-q', '-f', 'proteins.yml', '--cache-dir', TEST_CACHE],
    {
      cwd: folder(),
    },
  );
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /maps 100% of the words in its own vocabulary to \[UNK\]\. .* `\{"do_lower_case": false\}`/,
  );
});
