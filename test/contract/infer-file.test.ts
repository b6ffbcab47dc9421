import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { execa } from 'execa';
import { expect } from 'vitest';
import { readGolden } from '../helpers/golden.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
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
  const file = write('texts.jsonl', '"good"\n\n"bad"\n{"no": 1}\n""\n"fine"\n');
  const { exitCode, stdout, stderr } = await arm.run('sentiment', ['infer', '--input', file]);
  expect(exitCode).toBe(1);
  expect(lines(stdout).map(({ error }) => error ?? 'answered')).toEqual([
    'answered',
    'not valid JSON',
    'answered',
    'expected a string, or an object with a string `text`',
    'Cannot tokenize empty string',
    'answered',
  ]);
  expect(stderr).toContain('3 of 6 texts could not be used');
});

verifies('infer:file:problems', async (arm) => {
  const problems: [args: string[], message: RegExp][] = [
    [['--input', join(folder(), 'none.txt')], /^Error: No such file: .*none\.txt/],
    [['--input', folder(), '--input-format', 'txt'], /is a folder; name a file of texts\./],
    [['--input', write('a.csv', 'name\nx\n')], /has no column "text" \(its columns: name\)/],
    [['--input', write('b.csv', 'text\n"open\n')], /is not valid CSV/],
    [['--input', write('c.dat', 'x')], /does not tell the format/],
    [['--input', write('d.txt', 'x'), 'text'], /not both/],
    [['text', '--output', join(folder(), 'x')], /--output goes with --input/],
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

  // What a killed run leaves behind: some whole lines, and half of one.
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

async function appears(path: string): Promise<void> {
  while (!existsSync(path)) await setTimeout(2);
}
