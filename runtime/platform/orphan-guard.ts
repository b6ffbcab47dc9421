import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Ends children that outlive a process which had no time to end them: killed with SIGKILL, or out of memory. */
export interface OrphanGuard {
  /** Watches over a child's process group from now on; returns how to leave it alone again. */
  readonly watch: (pid: number) => () => void;
  readonly close: () => Promise<void>;
}

/** Children that are polite end when their stdin does, and need that long for it. */
const PATIENCE_SECONDS = 2;

// Its stdin ends with us, however we end. `+ 7` and `- 7` on it say which groups there are.
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
 * A shell that does nothing but wait for our end, for nobody in this process is left then. It is started with the first child.
 * Where there is no shell there is no guard: on Windows, and in containers without one, which end all they hold anyway.
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
      // Now its end is waited for, though nothing else may keep this process running.
      shell.ref();
      const exited = once(shell, 'exit');
      shell.stdin?.end();
      await exited;
    },
  };
}

function startShell(patienceSeconds: number): ChildProcess {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'orphan-guard', String(patienceSeconds)], {
    // Signals for our own group are not for it.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
  });
  shell.on('error', () => undefined);
  shell.stdin?.on('error', () => undefined);
  shell.unref();
  return shell;
}
