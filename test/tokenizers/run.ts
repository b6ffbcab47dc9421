import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { execa } from 'execa';
import { printTable } from '../bench/measure/print.ts';
import { ROOT } from '../helpers/paths.ts';
import { tokenizerOf } from '../helpers/tokenizer-folder.ts';
import { type Compared, explained, summary } from './compared.ts';
import { writeRealVocabularies } from './real-vocabularies.ts';

// `npm run test:tokenizers`: converts a vocabulary of each family and compares 10,000 lines with the slow and fast tokenizers of
// transformers 4, and with those of transformers 5. Needs Python 3. Arguments are folders with more vocabularies. Exit code 1 if a line
// differs from the slow tokenizer for a reason other than the rules in docs/decisions/0055-tokenizers-of-older-files.md.

const LINES = 10_000;
const SCRIPTS = join(ROOT, 'fixtures/scripts');
const COMMON = ['sentencepiece==0.2.3', 'protobuf==7.36.2'];
const WITH_SLOW = ['transformers==4.57.6', 'tokenizers==0.22.2', ...COMMON];
const NEWEST = ['transformers==5.24.0', 'tokenizers==0.23.3', ...COMMON];

const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-tokenizers-'));
try {
  const [vocabularies, converted] = [join(scratch, 'vocabularies'), join(scratch, 'converted')];
  mkdirSync(converted);
  const python = await makeEnvironment('transformers-4', WITH_SLOW);
  await execa(python, ['make_tokenizers.py', '--into', vocabularies], { cwd: SCRIPTS });
  await writeRealVocabularies(vocabularies, scratch);
  for (const folder of process.argv.slice(2)) {
    cpSync(resolve(folder), join(vocabularies, `own-${basename(resolve(folder))}`), { recursive: true });
  }
  for (const name of readdirSync(vocabularies)) {
    const { content } = await tokenizerOf(join(vocabularies, name));
    writeFileSync(join(converted, `${name}.json`), JSON.stringify(content));
  }
  const older = await compare(python, vocabularies, converted);
  const newer = await compare(await makeEnvironment('transformers-5', NEWEST), vocabularies, converted);
  const { header, rows } = summary(older, newer);
  printTable(header, rows);
  for (const line of explained(older)) console.log(line);
  if (older.some(({ slow }) => (slow?.unexplained.length ?? 0) > 0)) process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function makeEnvironment(name: string, packages: readonly string[]): Promise<string> {
  console.error(`Installing ${packages[0]} ...`);
  const folder = join(scratch, name);
  await execa('python3', ['-m', 'venv', folder]);
  await execa(join(folder, 'bin/pip'), ['install', '--quiet', ...packages]);
  return join(folder, 'bin/python');
}

/** Prints the name of each vocabulary after its comparison, because all of them take minutes. */
async function compare(python: string, vocabularies: string, converted: string): Promise<Compared[]> {
  const args = ['compare_tokenizers.py', vocabularies, converted, String(LINES)];
  const results: Compared[] = [];
  for await (const line of execa(python, args, { cwd: SCRIPTS })) {
    const result = JSON.parse(line) as Compared;
    console.error(`Compared ${result.folder}.`);
    results.push(result);
  }
  return results;
}
