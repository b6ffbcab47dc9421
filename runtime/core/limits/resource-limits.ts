/** Minimum number of file descriptors: Node needs 20, and a model executable 7 more. */
export const MIN_OPEN_FILES = 32;
/**
 * Minimum number of processes and threads, which share one limit: Node needs 6, and the smallest
 * model server 10 more.
 */
const MIN_PROCESSES = 16;

/** Returns a soft limit; Infinity if there is none. `limits` has the format of /proc/self/limits. */
function softLimit(limits: string, name: string): number {
  const [, value] = new RegExp(`^${name} +(\\d+)`, 'm').exec(limits) ?? [];
  return value === undefined ? Infinity : Number(value);
}

export const openFilesLimit = (limits: string): number => softLimit(limits, 'Max open files');

/** Returns a sentence about the first limit that is too low. */
export function limitsProblem(limits: string, user: number | undefined): string | undefined {
  const files = openFilesLimit(limits);
  if (files < MIN_OPEN_FILES) {
    return `The limit on open files is ${files}, but at least ${MIN_OPEN_FILES} are required. Raise it, for example with \`ulimit -n 1024\`.`;
  }
  // This limit does not apply to root.
  const processes = user === 0 ? Infinity : softLimit(limits, 'Max processes');
  if (processes < MIN_PROCESSES) {
    return `The limit on processes and threads is ${processes}, but at least ${MIN_PROCESSES} are required. Raise it, for example with \`ulimit -u 256\`.`;
  }
  return undefined;
}
