import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { printTable } from '../bench/measure/print.ts';
import { ROOT } from '../helpers/paths.ts';
import { tokenizerOf } from '../helpers/tokenizer-folder.ts';
import { writeRealVocabularies } from './real-vocabularies.ts';

// `npm run test:tokenizers`: converts a vocabulary of each family and compares 10,000 lines with transformers. Needs Python 3.
// Exit code 1 if a line differs from the fast tokenizer, which is the one that AutoTokenizer gives.

const LINES = 10_000;
const SCRIPTS = join(ROOT, 'fixtures/scripts');
const PACKAGES = ['transformers==4.57.6', 'tokenizers==0.22.2', 'sentencepiece==0.2.3', 'protobuf==7.36.2'];

interface Compared {
  readonly folder: string;
  readonly class: string;
  readonly size: number;
  readonly lines: number;
  readonly sameFile: boolean;
  readonly fast: { readonly count: number; readonly first: string | null };
  readonly slow: { readonly count: number; readonly first: string | null };
}

const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-tokenizers-'));
try {
  const python = await makeEnvironment();
  const [vocabularies, converted] = [join(scratch, 'vocabularies'), join(scratch, 'converted')];
  mkdirSync(converted);
  await execa(python, ['make_tokenizers.py', '--into', vocabularies], { cwd: SCRIPTS });
  await writeRealVocabularies(vocabularies, scratch);
  for (const name of readdirSync(vocabularies)) {
    const { content } = await tokenizerOf(join(vocabularies, name));
    writeFileSync(join(converted, `${name}.json`), JSON.stringify(content));
  }
  const args = ['compare_tokenizers.py', vocabularies, converted, String(LINES)];
  const { stdout } = await execa(python, args, { cwd: SCRIPTS });
  report(stdout.split('\n').map((line) => JSON.parse(line) as Compared));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function makeEnvironment(): Promise<string> {
  const folder = join(scratch, 'venv');
  await execa('python3', ['-m', 'venv', folder]);
  await execa(join(folder, 'bin/pip'), ['install', '--quiet', ...PACKAGES]);
  return join(folder, 'bin/python');
}

function report(compared: readonly Compared[]): void {
  const rows = compared.map(({ folder, class: name, size, lines, sameFile, fast, slow }) => [
    folder,
    name,
    folder.startsWith('real-') ? 'published' : 'trained here',
    String(size),
    String(lines),
    sameFile ? 'equal' : 'different',
    String(fast.count),
    String(slow.count),
  ]);
  const header = [
    'vocabulary',
    'class',
    'origin',
    'tokens',
    'lines',
    'tokenizer.json',
    'fast differs',
    'slow differs',
  ];
  printTable(header, rows);
  for (const { folder, fast, slow } of compared) {
    if (fast.first !== null) console.log(`${folder}, fast: ${JSON.stringify(fast.first)}`);
    if (slow.first !== null) console.log(`${folder}, slow: ${JSON.stringify(slow.first)}`);
  }
  if (compared.some(({ fast }) => fast.count > 0)) process.exitCode = 1;
}
