import { execa, execaSync } from 'execa';

/**
 * Runs a shell script as root of a mount (and, asked for, network) namespace of its own: it may mount what it likes, and
 * all of it is gone afterwards. Not everywhere allowed: see `namespacesWork`.
 */
export async function inNamespace(
  script: string,
  options: { network?: boolean; env?: Record<string, string | undefined> } = {},
): Promise<{ exitCode: number | undefined; stdout: string; stderr: string }> {
  const flags = options.network === false ? '-rmn' : '-rm';
  const { exitCode, stdout, stderr } = await execa('unshare', [flags, 'sh', '-ec', script], {
    reject: false,
    env: options.env ?? {},
  });
  return { exitCode, stdout, stderr };
}

/** Whether this machine permits it. Prints a warning where it does not, because tests are skipped then. */
export function namespacesWork(): boolean {
  const works =
    process.platform === 'linux' && execaSync('unshare', ['-rmn', 'true'], { reject: false }).exitCode === 0;
  if (!works)
    console.warn('SKIPPED: tests that mount file systems, because `unshare -rmn` does not work here.');
  return works;
}
