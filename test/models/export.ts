import { existsSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa, ExecaError } from 'execa';
import type { Export } from './export-settings.ts';
import { MODELS_CACHE } from './unpack.ts';

const PACKAGES = [
  'torch==2.9.1',
  'transformers==4.57.6',
  'tokenizers==0.22.2',
  'optimum==2.1.0',
  'optimum-onnx==0.1.0',
  'onnx==1.23.2',
  'onnxruntime==1.31.1',
  'onnxscript==0.7.2',
  'numpy==2.4.6',
];

/** Writes model.onnx, model.safetensors, config.json and tokenizer.json to `into`, unless they already exist. */
export async function exportModel(wished: Export, folder: string, into: string): Promise<void> {
  if (existsSync(join(into, 'tokenizer.json'))) return;
  const { weights, tokenizer, ...rest } = wished;
  const path = (name: string): string => join(folder, name);
  const source =
    'folder' in weights
      ? { ...weights, folder: path(weights.folder) }
      : 'fairseq' in weights
        ? { fairseq: path(weights.fairseq) }
        : weights;
  const job = { ...rest, ...source, tokenizer: { ...tokenizer, file: path(tokenizer.file) }, into };
  const script = join(dirname(fileURLToPath(import.meta.url)), 'export.py');
  try {
    await execa(await exportPython(), [script], { input: JSON.stringify(job) });
  } catch (error) {
    await rm(into, { recursive: true, force: true });
    const stderr = error instanceof ExecaError ? String(error.stderr) : '';
    throw new Error(
      `export failed: ${
        stderr
          .trim()
          .split('\n')
          .findLast((line) => /^\S*(?:Error|Exception)\b|^<class/.test(line)) ?? stderr.slice(-300)
      }`,
      { cause: error },
    );
  }
}

/** A Python with the packages for export.py; torch alone has several gigabytes. */
export async function exportPython(): Promise<string> {
  const folder = join(MODELS_CACHE, 'python-export');
  const python = join(folder, 'bin/python');
  if (existsSync(join(folder, 'ready'))) return python;
  await execa('python3', ['-m', 'venv', '--clear', folder]);
  await execa(python, ['-m', 'pip', 'install', '-q', ...PACKAGES]);
  await copyFile(join(folder, 'pyvenv.cfg'), join(folder, 'ready'));
  return python;
}
