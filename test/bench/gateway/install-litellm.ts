import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../measure/child.ts';
import { print } from '../measure/print.ts';
import { PATHS } from '../setup/paths.ts';

const WANTED = 'litellm[proxy]==1.106.2';

/** LiteLLM's program in a separate virtual environment, created once; undefined if no suitable Python is available. */
export async function installLiteLlm(): Promise<string | undefined> {
  const program = join(PATHS.liteLlm, 'bin/litellm');
  const stamp = join(PATHS.liteLlm, 'installed');
  if ((await readFile(stamp, 'utf8').catch(() => '')) === WANTED) return program;
  console.error(`Installing ${WANTED} with pip ...`);
  try {
    await rm(PATHS.liteLlm, { recursive: true, force: true });
    await runProgram({ command: 'python3', args: ['-m', 'venv', PATHS.liteLlm] });
    await runProgram({
      command: join(PATHS.liteLlm, 'bin/pip'),
      args: ['install', '--quiet', '--disable-pip-version-check', WANTED],
    });
    await writeFile(stamp, WANTED);
    return program;
  } catch (error) {
    print(`LiteLLM is left out: ${String(error).slice(0, 300)}\n`);
    return undefined;
  }
}
