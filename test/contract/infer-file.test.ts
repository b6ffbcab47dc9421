import {
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { execa } from 'execa';
import { expect } from 'vitest';
import { startLockHolder } from '../helpers/lock-holder.ts';
import { readGolden } from '../helpers/golden.ts';
import { inNamespace, namespacesWork } from '../helpers/namespace.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import { type Answer, runProcess } from '../helpers/run-process.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { runExecutable } from './arms.ts';
import { verifies, verifiesOnce } from './verifies.ts';
import { builtExecutable } from '../helpers/built.ts';

const folder = useTempFolder();
const write = (name: string, content: string | Uint8Array): string => {
  const path = join(folder(), name);
  writeFileSync(path, content);
  return path;
};
const lines = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

verifies('infer:file:formats', async (arm) => {
  const files = {
    txt: write('texts.txt', '\uFEFFI love this\r\nthis is awful\n'),
    jsonl: write('texts.jsonl', '"I love this"\n{"text": "this is awful", "id": 7}\n'),
    csv: write('texts.csv', '\uFEFFid,text\r\n1,"I love\n this"\r\n2,this is awful\r\n'),
  };
  for (const file of Object.values(files)) {
    const { exitCode, stdout } = await arm.run('sentiment', ['infer', '--input', file]);
    expect(exitCode).toBe(0);
    expect(lines(stdout).map(({ index, label }) => [index, label])).toEqual([
      [0, 'POSITIVE'],
      [1, 'NEGATIVE'],
    ]);
  }
  const named = await arm.run('sentiment', ['infer', '--input', files.csv, '--column', 'id']);
  expect(named.exitCode).toBe(0);
  expect((await arm.run('embedder', ['infer', '--input', files.txt])).stdout).toMatch(
    /^\{"index":0,"embedding":\[/,
  );
});

verifies('infer:golden', async (arm) => {
  for (const model of ['sentiment', 'ner', 'embedder']) {
    const golden = readGolden(model);
    const file = write(`${model}.jsonl`, golden.map(({ text }) => JSON.stringify(text)).join('\n'));
    const { exitCode, stdout } = await arm.run(model, ['infer', '--input', file]);
    expect(exitCode).toBe(0);
    for (const [index, line] of lines(stdout).entries()) {
      const expected = golden[index];
      if (!expected) throw new Error(`more lines than texts for ${model}`);
      const kept = expected.labels?.filter((_, at) => expected.special_tokens_mask[at] === 0);
      const score = model === 'sentiment' ? Math.max(...(expected.scores as number[])) : undefined;
      expect(line, expected.id).toEqual({
        index,
        ...(expected.predicted_label && {
          label: expected.predicted_label,
          score: expect.closeTo(score ?? 0, 5),
        }),
        ...(kept && { labels: kept, tokens: expect.any(Array) }),
        ...(expected.embeddings && {
          embedding: meanOf(expected.embeddings).map((value) => expect.closeTo(value, 5)),
        }),
      });
    }
    expect(lines(stdout)).toHaveLength(golden.length);
  }
});

function meanOf(rows: readonly number[][]): number[] {
  return (rows[0] ?? []).map(
    (_, column) => rows.reduce((sum, row) => sum + (row[column] ?? 0), 0) / rows.length,
  );
}

verifies('infer:file:bad-lines', async (arm) => {
  const file = write('texts.jsonl', '"good"\n\nbad\n{"no": 1}\n""\n"fine"\n');
  const { exitCode, stdout, stderr } = await arm.run('sentiment', ['infer', '--input', file]);
  expect(exitCode).toBe(1);
  expect(lines(stdout).map(({ error }) => error ?? 'answered')).toEqual([
    'answered',
    'not valid JSON',
    'expected a string, or an object with a string `text`',
    'Cannot tokenize empty string',
    'answered',
  ]);
  expect(stderr).toContain('3 of 5 texts failed');
  expect(stderr).toContain('Skipped 1 blank line.');
});

verifies('infer:file:problems', async (arm) => {
  const problems: [args: string[], message: RegExp][] = [
    [['--input', join(folder(), 'none.txt')], /^Error: No such file: .*none\.txt/],
    [['--input', folder(), '--input-format', 'txt'], /is a folder\. Pass a file\./],
    [['--input', write('a.csv', 'name\nx\n')], /has no column "text"; its columns are name\./],
    [['--input', write('b.csv', 'text\n"open\n')], /is not valid CSV/],
    [['--input', write('c.dat', 'x')], /Cannot detect the format of --input/],
    [['--input', write('d.txt', 'x'), 'text'], /cannot be combined/],
    [['text', '--output', join(folder(), 'x')], /--output requires --input/],
  ];
  for (const [args, message] of problems) {
    const { exitCode, stdout, stderr } = await arm.run('sentiment', ['infer', ...args]);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect({ exitCode: exitCode > 0, stdout }).toEqual({ exitCode: true, stdout: '' });
  }
});

verifiesOnce('infer:file:reader-gone', async () => {
  const input = write('texts.txt', 'some text\n'.repeat(20_000));
  const running = execa(builtExecutable('sentiment'), ['infer', '--input', input], {
    reject: false,
    buffer: false,
    stdin: 'ignore',
    env: { ENCODERFILE_CACHE_DIR: TEST_CACHE },
  });
  running.stdout.once('data', () => running.stdout.destroy());
  expect(await running).toMatchObject({ exitCode: 0 });
});

verifiesOnce('infer:file:resume', async () => {
  const texts = Array.from(
    { length: 3000 },
    (_, index) => `text number ${index} is ${index % 2 ? 'good' : 'bad'}`,
  );
  const input = write('texts.txt', `${texts.join('\n')}\n`);
  const [whole, resumed] = [join(folder(), 'whole.jsonl'), join(folder(), 'resumed.jsonl')];
  const infer = ['infer', '--input', input, '--output'];
  const path = builtExecutable('sentiment');
  expect((await runExecutable(path, [...infer, whole])).exitCode).toBe(0);

  // The remains of a killed run: some complete lines, and an incomplete one.
  await runExecutable(path, [...infer, resumed]);
  const done = readFileSync(resumed, 'utf8').split('\n').slice(0, 1200).join('\n');
  const partial = `${resumed}.partial`;
  const killed = execa(path, [...infer, resumed], { reject: false });
  await appears(partial);
  killed.kill('SIGKILL');
  await killed;
  writeFileSync(partial, `${done}\n{"index":1200,"lab`);
  expect((await runExecutable(path, [...infer, resumed])).exitCode).toBe(0);
  expect(readFileSync(resumed, 'utf8')).toBe(readFileSync(whole, 'utf8'));
  expect(lines(readFileSync(resumed, 'utf8'))).toHaveLength(3000);
});

verifiesOnce('infer:output:input', async () => {
  const input = write('texts.txt', 'I love this\n');
  const model = join(folder(), 'model.encoder');
  copyFileSync(builtExecutable('sentiment'), model);
  symlinkSync(input, join(folder(), 'soft'));
  linkSync(input, join(folder(), 'hard'));
  const before = readFileSync(model);
  const refused = async (...args: string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await runExecutable(model, ['infer', ...args]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    return stderr;
  };
  for (const name of ['texts.txt', 'soft', 'hard']) {
    const output = join(folder(), name);
    expect(await refused('--input', input, '--output', output)).toBe(
      `Error: Cannot write ${output}: it is the --input file. Choose another output path.\n`,
    );
  }
  expect(await refused('hi', '-o', model)).toBe(
    `Error: Cannot write ${model}: it is the running executable. Choose another output path.\n`,
  );
  expect(await refused('--input', input, '-o', model)).toContain('it is the running executable');
  // The temporary files of a run must not be used as the input either.
  const partial = write('o.jsonl.partial', '"I love this"\n');
  const formatted = ['--input', partial, '--input-format', 'jsonl', '--output', join(folder(), 'o.jsonl')];
  expect(await refused(...formatted)).toContain('it is the --input file');
  expect(readFileSync(partial, 'utf8')).toBe('"I love this"\n');
  expect(readFileSync(input, 'utf8')).toBe('I love this\n');
  expect(readFileSync(model).equals(before)).toBe(true);
});

verifiesOnce('infer:output:stream', async () => {
  const input = write('texts.txt', 'I love this\n');
  const path = builtExecutable('sentiment');
  const env = { MODEL: path, INPUT: input, ENCODERFILE_CACHE_DIR: TEST_CACHE };
  const sh = (script: string): Promise<Answer> => runProcess('bash', ['-c', script], { cwd: folder(), env });
  const commands = ['"$MODEL" infer "I love this" -o', '"$MODEL" infer --input "$INPUT" --output'];
  for (const command of commands) {
    expect((await sh(`${command} /dev/stdout`)).stdout).toContain('POSITIVE');
    expect((await sh(`${command} /dev/stdout > redirected; cat redirected`)).stdout).toContain('POSITIVE');
    expect((await sh(`${command} >(cat) | cat`)).stdout).toContain('POSITIVE');
    expect((await sh(`mkfifo -m 600 pipe; cat pipe & ${command} pipe; wait; rm pipe`)).stdout).toContain(
      'POSITIVE',
    );
    await sh(`rm -f real link; touch real; chmod 640 real; ln -s real link; ${command} link`);
    expect(lstatSync(join(folder(), 'link')).isSymbolicLink()).toBe(true);
    const real = join(folder(), 'real');
    expect(readFileSync(real, 'utf8')).toContain('POSITIVE');
    expect((lstatSync(real).mode & 0o777).toString(8)).toBe('640');
    if (!namespacesWork()) continue;
    // Devices in a namespace, so that a failure cannot affect those of the machine.
    const script = `mount -t tmpfs none /mnt; cp -a /dev/full /dev/null /mnt/ 2>/dev/null || { touch /mnt/full; mount --bind /dev/full /mnt/full; }`;
    const full = await inNamespace(
      `${script}; MODEL=${path}; INPUT=${input}; ${command} /mnt/full || code=$?; test -c /mnt/full; exit $code`,
    );
    expect(full).toMatchObject({ exitCode: 1, stdout: '' });
    expect(full.stderr).toMatch(/^Error: Cannot write \/mnt\/full: the disk is full\./);
  }
});

verifiesOnce('infer:output:locked', async () => {
  const input = write('texts.txt', 'I love this\n');
  const output = join(folder(), 'out.jsonl');
  const holder = await startLockHolder(output);
  const args = ['infer', '--input', input, '--output', output];
  const refused = await runExecutable(builtExecutable('sentiment'), args);
  expect(refused).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: `Error: Another process is writing to ${output}. Wait until it finishes, or choose another --output.\n`,
  });
  await holder.kill();
  expect((await runExecutable(builtExecutable('sentiment'), args)).exitCode).toBe(0);
  expect(lines(readFileSync(output, 'utf8'))).toHaveLength(1);
});

verifiesOnce('infer:file:resume-failed', async () => {
  const bad = Array.from({ length: 8000 }, (_, at) => (at === 3 ? '{"no": 1}' : `"text ${at}"`));
  const input = write('texts.jsonl', `${bad.join('\n')}\n`);
  const output = join(folder(), 'out.jsonl');
  const running = execa(builtExecutable('sentiment'), ['infer', '--input', input, '--output', output], {
    reject: false,
    env: { ENCODERFILE_CACHE_DIR: TEST_CACHE },
  });
  while ((statSync(`${output}.partial`, { throwIfNoEntry: false })?.size ?? 0) < 1000) await setTimeout(2);
  running.kill('SIGKILL');
  await running;
  const args = ['infer', '--input', input, '--output', output];
  const { exitCode, stderr } = await runExecutable(builtExecutable('sentiment'), args);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: 'Error: 1 of 8000 texts failed; their output lines contain an "error".\n',
  });
});

async function appears(path: string): Promise<void> {
  while (!existsSync(path)) await setTimeout(2);
}
