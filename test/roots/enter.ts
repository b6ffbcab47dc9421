import { execaSync } from 'execa';
import { PROGRAM } from './roots.ts';

/** A command that runs a program inside a root. */
export interface InsideRoot {
  readonly command: string;
  readonly args: readonly string[];
}

interface RootOptions {
  readonly root: string;
  /** The program's file outside. */
  readonly program: string;
  /** The folder outside that is /tmp inside. */
  readonly temporary: string;
}

/**
 * A mount namespace of its own, so that the mounts are gone when the program ends. Every step replaces the one before, so
 * signals reach the program. It gets no variables of this system, as in a container.
 */
const SCRIPT = `
root=$1 program=$2 temporary=$3
shift 3
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind "$temporary" "$root/tmp"
mount --bind "$program" "$root/${PROGRAM}"
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$root" "/${PROGRAM}" "$@"
`;

export function enterRoot({ root, program, temporary }: RootOptions, args: readonly string[]): InsideRoot {
  return { command: 'unshare', args: ['-rm', 'sh', '-ec', SCRIPT, 'sh', root, program, temporary, ...args] };
}

/** Whether this system permits namespaces. */
export const canEnterRoots = (): boolean =>
  process.platform === 'linux' && execaSync('unshare', ['-rm', 'true'], { reject: false }).exitCode === 0;
