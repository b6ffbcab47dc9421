import { execaSync } from 'execa';
import { PROGRAM } from './roots.ts';

/** A command that runs a program inside a root file system. */
export interface InsideRoot {
  readonly command: string;
  readonly args: readonly string[];
}

interface RootOptions {
  readonly root: string;
  /** The program file on the host. */
  readonly program: string;
  /** The host folder that is mounted at /tmp. */
  readonly temporary: string;
  /** Environment variables; their values must not contain spaces. */
  readonly variables?: Readonly<Record<string, string>>;
}

/**
 * A separate mount namespace, so that the mounts are removed when the program ends. Every step replaces the process of the previous one, so
 * signals reach the program. It inherits no variables of this system, as in a container.
 */
const SCRIPT = `
root=$1 program=$2 temporary=$3 variables=$4
shift 4
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind "$temporary" "$root/tmp"
mount --bind "$program" "$root/${PROGRAM}"
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin $variables chroot "$root" "/${PROGRAM}" "$@"
`;

export function enterRoot(
  { root, program, temporary, variables = {} }: RootOptions,
  args: readonly string[],
): InsideRoot {
  const given = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const parameters = [root, program, temporary, given.join(' '), ...args];
  return { command: 'unshare', args: ['-rm', 'sh', '-ec', SCRIPT, 'sh', ...parameters] };
}

/** Whether this system allows namespaces. */
export const canEnterRoots = (): boolean =>
  process.platform === 'linux' && execaSync('unshare', ['-rm', 'true'], { reject: false }).exitCode === 0;
