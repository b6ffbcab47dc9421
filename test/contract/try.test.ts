import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { execa } from 'execa';
import { builtBuildTool, builtCli, builtExecutable } from '../helpers/built.ts';
import { emptyExecutableCache } from '../helpers/executable-cache.ts';
import { fixtureContents, HubRepository } from '../helpers/hub-repository.ts';
import { copyModel } from '../helpers/models.ts';
import { type Answer, runProcess } from '../helpers/run-process.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { hubVariables, useHub } from '../helpers/use-hub.ts';
import { runExecutable } from './arms.ts';
import { verifiesOnce } from './verifies.ts';

const folder = useTempFolder();
const hub = useHub();
const cache = (): string => join(folder(), 'cache');
const variables = (): Record<string, string | undefined> => ({
  ...hubVariables(hub(), folder()),
  ENCODERFILE_BUILD_CACHE_DIR: cache(),
});
const run = (...args: string[]): Promise<Answer> =>
  runProcess(process.execPath, [builtCli(), ...args], { cwd: folder(), env: variables() });
const keys = (): string[] => readdirSync(join(cache(), 'executables')).sort();
const prepare = (): void => {
  emptyExecutableCache(folder());
  hub().add('acme/sentiment', new HubRepository(fixtureContents('sentiment')));
};

verifiesOnce('first-steps:try', async () => {
  prepare();
  const first = await run('try', 'hf:acme/sentiment', 'I love this', 'I hate this');
  const direct = await runExecutable(builtExecutable('sentiment'), ['infer', 'I love this', 'I hate this']);
  expect(first).toMatchObject({ exitCode: 0, stdout: direct.stdout.trimEnd() });
  expect(first.stderr).toMatch(/Writing the executable \(/);
  expect(first.stderr).toMatch(
    /\nKeep it {3}encoderfile build hf:acme\/sentiment -o sentiment\.encoder\nServe it {2}encoderfile run hf:acme\/sentiment --local$/,
  );
  const [key = ''] = keys();
  const second = await run('try', 'hf:acme/sentiment', 'I love this', 'I hate this');
  expect(second).toMatchObject({ exitCode: 0, stdout: first.stdout });
  expect(second.stderr).not.toContain('Writing the executable');
  expect(keys()).toEqual([key]);
  const quiet = await run('try', 'hf:acme/sentiment', 'I love this', 'I hate this', '-q');
  expect(quiet).toEqual({ exitCode: 0, stdout: first.stdout, stderr: '' });

  // The same files elsewhere give the same executable, but a changed file or setting another one.
  copyModel('sentiment', join(folder(), 'älter model'));
  expect(await run('try', './älter model', 'I love this', '-q')).toMatchObject({ exitCode: 0, stderr: '' });
  const copied = keys();
  expect(copied).toHaveLength(2);
  mkdirSync(join(folder(), 'deeper'));
  copyModel('sentiment', join(folder(), 'deeper', 'älter model'));
  expect(await run('try', 'deeper/älter model', 'I love this', '-q')).toMatchObject({ exitCode: 0 });
  expect(keys()).toEqual(copied);
  writeFileSync(join(folder(), 'deeper', 'älter model', 'README.md'), '---\nlicense: mit\n---\n');
  expect(await run('try', 'deeper/älter model', 'I love this', '-q')).toMatchObject({ exitCode: 0 });
  expect(keys()).toHaveLength(3);
});

test('the single-file build tool tries a model', async () => {
  prepare();
  const args = ['try', 'hf:acme/sentiment', 'I love this', '-q'];
  const options = { cwd: folder(), env: variables() };
  const first = await runProcess(builtBuildTool(), args, options);
  expect(first).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.parse(first.stdout)).toMatchObject({ predictions: [{ label: 'POSITIVE' }] });
  const built = keys();
  expect(await runProcess(builtBuildTool(), args, options)).toEqual(first);
  expect(keys()).toEqual(built);
});

verifiesOnce('first-steps:try-mistakes', async () => {
  prepare();
  for (const [args, message] of [
    [['try', 'hf:acme/sentiment'], 'Missing text. Pass one or more texts after the model.'],
    [['try', 'hf:acme/sentiment', '--json'], 'Missing text.'],
    [['try', 'hf:acme/sentiment', ''], 'One of the texts is empty.'],
    [['try', 'hf:acme/sentiment', 'x', '--varaint', 'y'], 'Unknown flag --varaint; did you mean --variant?'],
    [
      ['run', '--http-port', '1', 'hf:acme/sentiment'],
      'Unknown flag --http-port. Put flags of the executable after',
    ],
  ] as const) {
    const { exitCode, stdout, stderr } = await run(...args);
    expect({ args, exitCode }).toEqual({ args, exitCode: 2 });
    expect(args.includes('--json' as never) ? stdout : stderr).toContain(message);
  }
  expect(existsSync(join(cache(), 'executables'))).toBe(false);
  expect(await run('try', 'hf:acme/sentiment', 'x', '--nosuch')).toMatchObject({ exitCode: 2, stdout: '' });
  const failed = await run('try', 'hf:acme/sentiment', '--input', 'missing.txt', '--json');
  expect(failed.exitCode).toBe(1);
  expect(failed.stderr).not.toContain('Keep it');
  writeFileSync(join(folder(), 'sentiment.encoder'), 'no executable');
  for (const [model, message] of [
    ['sentiment.encoder', 'sentiment.encoder is not a model executable. Pass an executable that'],
    ['./sentimen.encoder', 'No such file: ./sentimen.encoder; did you mean `./sentiment.encoder`?'],
    ['sentimnt', 'No executable of a model "sentimnt" in the cache'],
    ['acme/other', 'hf:acme/other for a Hugging Face Hub model'],
  ] as const) {
    const answer = await run('run', model);
    expect(answer).toMatchObject({ exitCode: 1, stdout: '' });
    expect(answer.stderr).toContain(message);
  }
  copyFileSync(builtExecutable('sentiment'), join(folder(), 'plain.encoder'));
  chmodSync(join(folder(), 'plain.encoder'), 0o644);
  expect((await run('run', 'plain.encoder')).stderr).toMatch(
    /permission denied\. Run `chmod \+x .*plain\.encoder`/,
  );
});

verifiesOnce('first-steps:run', async () => {
  prepare();
  expect(await run('try', 'hf:acme/sentiment', 'x', '-q')).toMatchObject({ exitCode: 0 });
  for (const model of [builtExecutable('sentiment'), 'sentiment', 'hf:acme/sentiment', 'acme/sentiment']) {
    const args = [builtCli(), 'run', model, '--local', '--http-port', '0', '--grpc-port', '0'];
    const server = execa(process.execPath, args, { cwd: folder(), env: variables(), reject: false });
    const port = await new Promise<number>((resolve, reject) => {
      let output = '';
      server.stderr.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        const [, found] = /"http":(\d+)/.exec(output) ?? [];
        if (found !== undefined) resolve(Number(found));
      });
      void server.then(() => reject(new Error(`the server exited: ${output}`)));
    });
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
    // The server is the process that was started.
    if (process.platform === 'linux')
      expect(readFileSync(`/proc/${server.pid}/cmdline`, 'utf8')).toContain('.encoder\0serve\0--local');
    server.kill('SIGTERM');
    expect(await server).toMatchObject({ exitCode: 0 });
  }
  expect(await run('run', 'sentiment', '--http-port', 'x')).toMatchObject({ exitCode: 2 });
});

verifiesOnce('first-steps:cache', async () => {
  prepare();
  expect((await run('cache', 'list')).stdout).toMatch(
    /^No executables in .*\n\nExecutables: 0 B of at most 20\.0 GB\./,
  );
  expect(await run('try', 'hf:acme/sentiment', 'x', '-q')).toMatchObject({ exitCode: 0 });
  const { executables, bytes } = JSON.parse((await run('cache', 'list', '--json')).stdout) as {
    executables: { name: string; repository: string; bytes: number; path: string }[];
    bytes: number;
  };
  expect(executables).toMatchObject([{ name: 'sentiment', repository: 'acme/sentiment', bytes }]);
  const path = executables[0]?.path ?? '';
  expect(bytes).toBe(statSync(path).size);
  expect((await run('cache', 'list')).stdout).toMatch(
    /^sentiment +1\d\d MB +\d{4}-\S+ \d\d:\d\dZ +hf:acme\/sentiment +\//m,
  );

  // Another user could have put such a file into a shared cache folder.
  chmodSync(path, 0o777);
  const refused = await run('run', 'sentiment', '--nosuch');
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toContain('is not run: it is damaged, or other users can change it. Build it again');
  expect((await run('try', 'hf:acme/sentiment', 'x')).stderr).toContain('Writing the executable');
  expect(statSync(path).mode & 0o022).toBe(0);

  // A folder that a killed build left behind is removed after a day.
  const unfinished = join(cache(), 'executables', '0123456789abcdef');
  mkdirSync(unfinished);
  await run('try', 'hf:acme/sentiment', 'x', '-q');
  expect(existsSync(unfinished)).toBe(true);
  utimesSync(unfinished, 0, 0);
  await run('try', 'hf:acme/sentiment', 'x', '-q');
  expect(existsSync(unfinished)).toBe(false);

  expect((await run('cache', 'remove', 'sentimen')).stderr).toContain('did you mean `sentiment`?');
  expect((await run('cache', 'remove', 'hf:acme/sentiment')).stdout).toMatch(
    /^Removed .*\nFreed 1\d\d MB\.$/,
  );
  expect(existsSync(path)).toBe(false);
  expect((await run('cache', 'remove', '--all')).stdout).toMatch(/^Nothing to remove in /);
});
