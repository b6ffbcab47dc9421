import { fstatSync, readFileSync, statSync } from 'node:fs';

/** Whether a descriptor of this process is /dev/null, so that output to it is lost. */
export function isNullDevice(fd: number): boolean {
  try {
    const found = fstatSync(fd);
    return found.isCharacterDevice() && found.rdev === statSync('/dev/null').rdev;
  } catch {
    return false;
  }
}

/**
 * Whether a descriptor was closed when the process started, as far as can be determined: Node then
 * opens /dev/null for reading and writing instead. A parent that discards output on purpose can do
 * the same, whereas a shell's `>/dev/null` opens it for writing only.
 */
export function isProbablyClosed(fd: number): boolean {
  if (!isNullDevice(fd)) return false;
  try {
    const [, flags = ''] = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & ACCESS_MODE) === READ_AND_WRITE;
  } catch {
    return false;
  }
}

const ACCESS_MODE = 3;
const READ_AND_WRITE = 2;
