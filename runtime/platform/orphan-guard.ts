import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Ends child processes that outlive this process, if it is killed with SIGKILL or runs out of memory. */
export interface OrphanGuard {
  /** Watches a child's process group; the returned function stops watching. */
  readonly watch: (pid: number) => () => void;
  readonly close: () => Promise<void>;
}

/** Grace period for children that exit when their stdin is closed. */
const PATIENCE_SECONDS = 2;

// Its stdin is closed when this process ends in any way. Lines `+ 7` and `- 7` add and remove groups.
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
done
`;

/**
 * A shell that waits for the end of this process, because no code of this process can run then. It is started with the first
 * child. Without a shell there is no guard: on Windows, and in minimal containers, whose end stops all of their processes
 * anyway.
 */
export function createOrphanGuard(patienceSeconds = PATIENCE_SECONDS): OrphanGuard {
  let shell: ChildProcess | undefined;
  const tell = (line: string): void => void shell?.stdin?.write(`${line}\n`);
  return {
    watch(pid) {
      if (process.platform !== 'win32') shell ??= startShell(patienceSeconds);
      tell(`+ ${pid}`);
      return () => tell(`- ${pid}`);
    },
    async close() {
      if (shell?.pid === undefined || shell.exitCode !== null || shell.signalCode !== null) return;
      // From now on, wait for the shell's exit, but do not keep this process running for anything else.
      shell.ref();
      const exited = once(shell, 'exit');
      shell.stdin?.end();
      await exited;
    },
  };
}

function startShell(patienceSeconds: number): ChildProcess {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'orphan-guard', String(patienceSeconds)], {
    // Signals to this process's group must not reach it.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
  });
  shell.on('error', () => undefined);
  shell.stdin?.on('error', () => undefined);
  shell.unref();
  return shell;
}
