import { execaSync } from 'execa';
import type { Arm64Emulator } from '../helpers/qemu-arm64.ts';
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
  /** For a root with arm64 programs. */
  readonly emulator?: Arm64Emulator | undefined;
}

/** The first bytes of arm64 programs, in the notation of binfmt_misc: their format, version, type (any) and processor. */
const ELF_ARM64 = {
  magic: String.raw`\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00`,
  mask: String.raw`\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff`,
};

/**
 * A separate mount namespace, so that the mounts are removed when the program ends. Every step replaces the process of the previous one, so
 * signals reach the program. It inherits no variables of this system, as in a container. The kernel starts arm64 programs with the emulator, also
 * those that the program starts; since Linux 6.7, a user namespace has its own list of emulators.
 */
const SCRIPT = `
root=$1 program=$2 temporary=$3 variables=$4 emulator=$5 cpuinfo=$6
shift 6
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind "$temporary" "$root/tmp"
mount --bind "$program" "$root/${PROGRAM}"
if [ -n "$emulator" ]; then
  mount --bind "$cpuinfo" "$root/proc/cpuinfo"
  mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
  printf '%s' ":arm64:M::${ELF_ARM64.magic}:${ELF_ARM64.mask}:$emulator:F" > /proc/sys/fs/binfmt_misc/register
fi
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin $variables chroot "$root" "/${PROGRAM}" "$@"
`;

export function enterRoot(
  { root, program, temporary, variables = {}, emulator }: RootOptions,
  args: readonly string[],
): InsideRoot {
  const given = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const emulated = [emulator?.program ?? '', emulator?.cpuinfo ?? ''];
  const parameters = [root, program, temporary, given.join(' '), ...emulated, ...args];
  return { command: 'unshare', args: ['-rm', 'sh', '-ec', SCRIPT, 'sh', ...parameters] };
}

/** Whether this system allows namespaces. */
export const canEnterRoots = (): boolean =>
  process.platform === 'linux' && execaSync('unshare', ['-rm', 'true'], { reject: false }).exitCode === 0;
