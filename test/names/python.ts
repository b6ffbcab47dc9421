import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { MODELS_CACHE } from '../models/unpack.ts';

const PACKAGES = [
  'torch==2.15.0',
  'transformers==5.24.0',
  'sentence-transformers==6.2.0',
  'model2vec==0.10.0',
  'tokenizers==0.23.3',
  'sentencepiece==0.2.3',
  'protobuf==7.36.2',
  'numpy==2.4.6',
  'onnxruntime==1.32.0',
  'pillow==12.3.0',
];

/** A Python with the published libraries; NAMES_PYTHON selects another one. torch alone has several gigabytes. */
export async function libraryPython(): Promise<string> {
  const given = process.env['NAMES_PYTHON'];
  if (given !== undefined) return given;
  const folder = join(MODELS_CACHE, 'python-names');
  const python = join(folder, 'bin/python');
  const [installed, wanted] = [join(folder, 'ready'), PACKAGES.join('\n')];
  if ((await readFile(installed, 'utf8').catch(() => '')) === wanted) return python;
  await execa('python3', ['-m', 'venv', '--clear', folder]);
  await execa(python, ['-m', 'pip', 'install', '-q', ...PACKAGES]);
  // gliner names older versions of transformers, but works with this one.
  await execa(python, ['-m', 'pip', 'install', '-q', '--no-deps', 'gliner==0.2.29']);
  await writeFile(installed, wanted);
  return python;
}
