import { dirname, join } from 'node:path';
import { execa } from 'execa';

/** Returns the folder of uvx, which is installed in `folder` if the machine has none. */
export async function findUv(folder: string): Promise<string> {
  const found = await execa('which', ['uvx'], { reject: false });
  if (found.exitCode === 0) return dirname(found.stdout);
  await execa('python3', ['-m', 'venv', join(folder, 'venv')]);
  await execa(join(folder, 'venv/bin/pip'), ['install', '--quiet', 'uv']);
  return join(folder, 'venv/bin');
}
