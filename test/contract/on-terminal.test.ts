import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtCli, builtExecutable } from '../helpers/built.ts';
import { hubCli } from '../helpers/hub-cli.ts';
import { fixtureContents, HubRepository } from '../helpers/hub-repository.ts';
import { copyModel } from '../helpers/models.ts';
import { runProcess } from '../helpers/run-process.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { HAS_TERMINALS, onTerminal, Terminal } from '../helpers/terminal.ts';
import { hubVariables, useHub } from '../helpers/use-hub.ts';
import { verifiesOnce } from './verifies.ts';

const folder = useTempFolder();
const hub = useHub();
const cli = (...args: string[]): string[] => [process.execPath, builtCli(), ...args];
const variables = () => hubVariables(hub(), folder());
const here = () => ({ cwd: folder(), env: variables() });

verifiesOnce('first-steps:folder-commands', async () => {
  const piped = await runProcess(process.execPath, [builtCli()], here());
  expect(piped.stdout).toContain('\nCOMMANDS\n');
  if (!HAS_TERMINALS) return;
  const empty = await onTerminal(cli(), here());
  expect(empty).toMatchObject({ exitCode: 0 });
  expect(empty.output).toMatch(/^ {2}encoderfile try hf:\S+ "some text" +compute a vector$/m);

  copyModel('sentence', join(folder(), "it's"));
  writeFileSync(join(folder(), '-a.encoder'), readFileSync(builtExecutable('sentiment')));
  writeFileSync(join(folder(), 'b\u001B[31m.encoder'), '');
  const { output } = await onTerminal(cli(), here());
  expect(output).toContain("./it's contains a model (sentence_embedding):\n");
  expect(output).toContain(`  encoderfile try './it'\\''s' "some text"  run it on an input\n`);
  expect(output).toContain('  encoderfile run ./-a.encoder --local  serve it on this machine\n');
  expect(output).not.toContain('\u001B');
  writeFileSync(join(folder(), "it's", 'encoderfile.yml'), '');
  const inModel = await onTerminal(cli(), { ...here(), cwd: join(folder(), "it's") });
  expect(inModel.output).toContain('This folder contains encoderfile.yml:\n\n  encoderfile build ');
});

verifiesOnce('first-steps:near-names', async () => {
  hub().add('acme/sentiment', new HubRepository(fixtureContents('sentiment')));
  const run = hubCli(hub, folder);
  expect(await run(['pull', 'hf:acme/sentiment', '-q'])).toMatchObject({ exitCode: 0 });
  // A name from a cache folder that is not the name of a model is never printed.
  mkdirSync(join(folder(), 'huggingface/hub/models--acme--sentiment\u001B[31m'));
  mkdirSync(join(folder(), 'model'));
  for (const [args, end] of [
    [
      ['build', 'hf:acme/sentimnt'],
      'or it is private; did you mean `hf:acme/sentiment`? Check the name, or set HF_TOKEN.',
    ],
    [
      ['try', 'hf:other/Sentiment', 'x'],
      'or it is private; did you mean `hf:acme/sentiment`? Check the name, or set HF_TOKEN.',
    ],
    [
      ['pull', 'hf:acme/sentimen', '--offline'],
      'and --offline is set; did you mean `hf:acme/sentiment`? Run `encoderfile pull',
    ],
    [['build', 'hf:acme/else'], 'or it is private. Check the name, or set HF_TOKEN.'],
    [['build', './modle'], 'No such directory: ./modle; did you mean `./model`? Pass a model folder.'],
    [['init', 'modle'], 'No such directory: modle; did you mean `model`? Pass a model folder.'],
    [['run', './modle'], 'No such file: ./modle; did you mean `./model`? Pass an executable'],
    [['build', './none'], 'No such directory: ./none. Pass a model folder.'],
  ] as const) {
    const { exitCode, stdout, stderr } = await run(args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain(end);
    expect(stderr).not.toContain('\u001B');
  }
});

verifiesOnce('first-steps:interrupted-download', async () => {
  const graph = Buffer.alloc(3_000_000, 'graph');
  hub().add(
    'acme/big',
    new HubRepository({ 'config.json': '{}', 'tokenizer.json': '{}', 'onnx/model.onnx': graph }),
  );
  hub().plan(/GET cdn/, { stallAfter: 1_000_000 });
  const blobs = join(folder(), 'huggingface/hub/models--acme--big/blobs');
  if (HAS_TERMINALS) {
    const terminal = new Terminal(cli('pull', 'hf:acme/big'), here());
    await terminal.waitFor(/33%, 1\.0 MB of 3\.0 MB, \d/);
    terminal.type('\u0003');
    expect(await terminal.exitCode()).toBe(130);
    expect(readdirSync(blobs).filter((name) => name.endsWith('.incomplete'))).toHaveLength(1);
    hub().requests.length = 0;
  }
  // Elsewhere, there are only complete lines.
  const { exitCode, stderr } = await runProcess(process.execPath, [builtCli(), 'pull', 'hf:acme/big'], {
    ...here(),
    env: { ...variables(), HF_HUB_DOWNLOAD_TIMEOUT: '1' },
  });
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(
    /^✓ Fetching hf:acme\/big \(\d+\.\d s\): .* files downloaded, 3\.0 MB, commit [0-9a-f]{12}$/,
  );
  expect(hub().requests.findLast(({ host }) => host === 'cdn')?.range).toBe('bytes=1000000-');
});

test.runIf(HAS_TERMINALS)('an error starts on an empty line of the terminal', async () => {
  hub().add('acme/none', new HubRepository({ 'config.json': '{}' }));
  const { exitCode, output } = await onTerminal(cli('build', 'hf:acme/none'), here());
  expect(exitCode).toBe(1);
  expect(output.split('\r\u001B[2K').at(-1)).toMatch(/^\S*Error:/);
});
