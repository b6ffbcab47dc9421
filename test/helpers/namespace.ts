import { execa, execaSync } from 'execa';

/**
 * Runs a shell script as root in a separate mount namespace (and, if requested, network namespace): its mounts are removed afterwards. This
 * is not allowed on every machine: see `namespacesWork`.
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

/** Whether this machine allows it. If not, prints a warning, because tests are then skipped. */
export function namespacesWork(): boolean {
  const works =
    process.platform === 'linux' && execaSync('unshare', ['-rmn', 'true'], { reject: false }).exitCode === 0;
  if (!works)
    console.warn('SKIPPED: tests that mount file systems, because `unshare -rmn` does not work here.');
  return works;
}
