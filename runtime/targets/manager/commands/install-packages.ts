import { messageOf } from '#contract/errors.ts';
import { systemClock } from '#platform/clock.ts';
import { createOrphanGuard } from '#platform/orphan-guard.ts';
import type { Output } from '#serve/cli/command.ts';
import { printable } from '#serve/cli/terminal.ts';
import type { Redactor } from '#serve/redact.ts';
import type { ProcessLaunch, ServerSpec } from '../config/spec.ts';
import { createPackageInstaller } from '../upstream/packages/package-installer.ts';
import { outputOf } from '../upstream/start-extension.ts';

/** Package installer for commands that run without a manager. */
export interface CommandInstaller {
  /** Installs a server's package if it has one that is not installed; rejects with the cause. */
  readonly install: (spec: ServerSpec, launch: ProcessLaunch) => Promise<void>;
  /** Called when a server failed to start: its package is checked before the next start. */
  readonly distrust: (launch: ProcessLaunch) => void;
  readonly close: () => Promise<void>;
}

/** Minimum time between two progress lines for the same installation. */
const PROGRESS_MS = 5000;

/** Opens an installer that reports progress on stderr and stops when the signal is aborted. */
export function openCommandInstaller(
  output: Output,
  redact: Redactor,
  signal: AbortSignal,
): CommandInstaller {
  const guard = createOrphanGuard();
  const installer = createPackageInstaller({ clock: systemClock, env: process.env, watch: guard.watch });
  const stop = (): void => void installer.close();
  signal.addEventListener('abort', stop, { once: true });
  return {
    async install({ name, timeouts }, launch) {
      let printedAt = Number.NEGATIVE_INFINITY;
      const print = (text: string): void => output.err(printable(`${redact.text(text, name)}\n`));
      await installer.install(launch, {
        timeoutMs: timeouts.install,
        onWarning: (text) => print(`Warning: ${text}`),
        onProgress(text) {
          const now = performance.now();
          if (now - printedAt < PROGRESS_MS) return;
          printedAt = now;
          print(text);
        },
      });
    },
    distrust: (launch) => installer.distrust(launch),
    async close() {
      signal.removeEventListener('abort', stop);
      await installer.close();
      await guard.close();
    },
  };
}

/** The failure message, with the process output that explains it. */
export const failureLines = (error: unknown): string[] => [
  messageOf(error),
  ...outputOf(error).map((line) => `  ${line}`),
];
