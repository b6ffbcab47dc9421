import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';

/**
 * Installs the packages of a list in a virtual environment: once, and again when the list changes. Returns its Python. The list contains
 * every required package, including dependencies.
 */
export async function installPython(list: string, environment: string): Promise<string> {
  const wanted = readFileSync(list, 'utf8');
  const stamp = join(environment, 'installed.txt');
  const installed = join(environment, 'bin', 'python');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return installed;
  console.error(`Installing packages for Python (${list}) ...`);
  await execa('python3', ['-m', 'venv', '--clear', environment]);
  await execa(installed, ['-m', 'pip', 'install', '--quiet', '--no-deps', '-r', list]);
  writeFileSync(stamp, wanted);
  return installed;
}
