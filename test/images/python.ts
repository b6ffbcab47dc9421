import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { MODELS_CACHE } from '../models/unpack.ts';

/** A Python with the packages for the scripts in this folder. */
export async function imagePython(): Promise<string> {
  const folder = join(MODELS_CACHE, 'python-images');
  const python = join(folder, 'bin/python');
  if (existsSync(join(folder, 'ready-2'))) return python;
  await execa('python3', ['-m', 'venv', '--clear', folder]);
  await execa(python, ['-m', 'pip', 'install', '-q', 'onnx', 'onnxruntime', 'pillow', 'numpy']);
  copyFileSync(join(folder, 'pyvenv.cfg'), join(folder, 'ready-2'));
  return python;
}
