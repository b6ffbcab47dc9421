import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { AppError, messageOf } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { spawnable } from '#platform/command-file.ts';
import type { PackageIntegrity } from '../../config/spec.ts';

interface NpmOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string | undefined;
  readonly timeoutMs: number;
}

/**
 * Returns the package's hash in the npm registry. npm compares it with the package during installation, so a
 * package with this hash is the one that runs.
 */
export async function npmIntegrity(name: string, { env, cwd, timeoutMs }: NpmOptions): Promise<string> {
  let text: string;
  try {
    const npm = { command: 'npm', env, cwd };
    const { file, args, ...quoting } = spawnable(npm, ['view', name, 'dist.integrity', '--json']);
    const run = await promisify(execFile)(file, [...args], {
      ...quoting,
      env: { ...env },
      ...(cwd === undefined ? {} : { cwd }),
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      windowsHide: true,
    });
    text = run.stdout;
  } catch (error) {
    throw new AppError('UpstreamError', `Cannot read the hash of ${name}: ${firstLine(messageOf(error))}`, {
      cause: error,
    });
  }
  const hash = text.trim() === '' ? undefined : parseJsonText(text);
  if (typeof hash === 'string') return hash;
  throw new AppError(
    'UpstreamError',
    `The npm registry has no single hash for ${name}. Use an exact version.`,
  );
}

/** Rejects if a package's hash differs from the pinned one. */
export async function verifyIntegrity({ name, hash }: PackageIntegrity, options: NpmOptions): Promise<void> {
  const found = await npmIntegrity(name, options);
  if (found === hash) return;
  throw new AppError(
    'UpstreamError',
    `The package ${name} has the hash ${found}, not the pinned ${hash}. Find out why before you change package_hash.`,
  );
}

const firstLine = (text: string): string => text.split('\n', 1).join('');
