import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ProcessTraces } from './process-tree/process-trees.ts';

/**
 * Terminates child processes that outlive this process if this process is killed with SIGKILL or
 * runs out of memory.
 */
export interface OrphanGuard {
  /** Watches a child's process group; the returned function stops watching. */
  readonly watch: (pid: number) => () => void;
  readonly close: () => Promise<void>;
}

export interface OrphanGuardOptions {
  /** Grace period for children that exit when their stdin is closed. */
  readonly patienceSeconds?: number | undefined;
  /** How to find processes that have left the children's process groups. */
  readonly traces?: ProcessTraces | undefined;
}

// Its stdin is closed when this process ends for any reason. Lines `+ 7` and `- 7` add and remove
// groups. The arguments are the grace period, part of the children's environment, and the folder of
// their cgroups.
const SCRIPT = `
groups=' '
while read -r what group; do
  case $what in
    +) groups="$groups$group " ;;
    -) groups="\${groups%%" $group "*} \${groups#*" $group "}" ;;
  esac
done
[ -z "\${groups#"\${groups%%[! ]*}"}" ] && exit
for signal in TERM KILL; do
  sleep "$1"
  for group in $groups; do kill -s $signal -- "-$group" 2>/dev/null; done
  [ -n "$2" ] && for file in $(grep -lsF -e "$2" /proc/[0-9]*/environ 2>/dev/null); do
    pid=\${file#/proc/}
    kill -s $signal "\${pid%/environ}" 2>/dev/null
  done
done
[ -n "$3" ] && for group in "$3"/[0-9]*; do
  [ -e "$group/cgroup.kill" ] && echo 1 >"$group/cgroup.kill"
  rmdir "$group" 2>/dev/null
done
`;

/**
 * A shell that waits for the end of this process, because none of its own code can run then. It is
 * started with the first child. Without a shell there is no guard: in minimal containers, where all
 * processes end with the container anyway. On Windows, the jobs of `leadGroup` end with this process.
 */
export function createOrphanGuard(options: OrphanGuardOptions = {}): OrphanGuard {
  let shell: ChildProcess | undefined;
  const tell = (line: string): void => void shell?.stdin?.write(`${line}\n`);
  return {
    watch(pid) {
      if (process.platform !== 'win32') shell ??= startShell(options);
      tell(`+ ${pid}`);
      return () => tell(`- ${pid}`);
    },
    async close() {
      if (shell?.pid === undefined || shell.exitCode !== null || shell.signalCode !== null) return;
      // From now on, listen for the shell's exit, but do not keep this process running for it.
      shell.ref();
      const exited = once(shell, 'exit');
      shell.stdin?.end();
      await exited;
    },
  };
}

const NO_TRACES: ProcessTraces = { mark: '', cgroups: '' };

function startShell({ patienceSeconds = 2, traces = NO_TRACES }: OrphanGuardOptions): ChildProcess {
  const args = [String(patienceSeconds), traces.mark, traces.cgroups];
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'orphan-guard', ...args], {
    // Signals to this process's group must not reach the shell.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
  });
  shell.on('error', () => undefined);
  shell.stdin?.on('error', () => undefined);
  shell.unref();
  return shell;
}
