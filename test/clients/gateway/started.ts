import { parseJsonText } from '../../../runtime/core/json/json-text.ts';
import type { RunningExecutable } from '../../helpers/start-executable.ts';

export async function stopAll(started: readonly RunningExecutable[]): Promise<void> {
  for (const { child, ended } of started) {
    child.kill('SIGTERM');
    await ended;
  }
}

/** The address that a stand-in prints in its first line. */
export async function urlOf({ stdout, child }: RunningExecutable): Promise<string> {
  while (!stdout().includes('\n')) {
    if (child.exitCode !== null) throw new Error('a provider of the tests has ended');
    await new Promise((resolve) => child.stdout?.once('data', resolve));
  }
  const [first = ''] = stdout().split('\n');
  return (parseJsonText(first) as { readonly url: string }).url;
}
