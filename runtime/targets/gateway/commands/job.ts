import { messageOf } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { type Command, UsageError, type CommandGroup } from '#serve/cli/command.ts';
import { EXIT_FAILED } from '#serve/errors/exit-code.ts';
import {
  JOB_FILES_VARIABLE,
  JOB_TOKEN_VARIABLE,
  JOB_URL_VARIABLE,
} from '../evaluation/jobs/compute/compute.ts';
import { isSendableKey, SENDABLE_KEY_RULE } from '../shared/sendable-key.ts';

/** `job run` is started by a gateway, on the same or another machine, to process one job. */
const jobRunCommand: Command = {
  summary: `Run the job that the token in ${JOB_TOKEN_VARIABLE} belongs to.`,
  options: {
    'gateway-url': {
      value: 'url',
      help: 'URL of the gateway that the job belongs to',
      env: JOB_URL_VARIABLE,
    },
    attached: {
      help: 'Stop when standard input closes, which indicates that the parent process has exited',
    },
  },
  async run(invocation, output) {
    const { systemClock } = await import('#platform/clock.ts');
    const { stopSignal } = await import('#serve/program/signals.ts');
    const { runWorker } = await import('../evaluation/jobs/worker/run-worker.ts');
    const { openWork } = await import('../evaluation/work/open-work.ts');
    const gatewayUrl = invocation.value('gateway-url');
    const token = process.env[JOB_TOKEN_VARIABLE];
    if (gatewayUrl === undefined || !URL.canParse(gatewayUrl)) {
      throw new UsageError(`${invocation.source('gateway-url')} must be a gateway URL.`);
    }
    if (!token)
      throw new UsageError(
        `${JOB_TOKEN_VARIABLE} is not set. The gateway sets it when it starts this command.`,
      );
    if (!isSendableKey(token)) throw new UsageError(`${JOB_TOKEN_VARIABLE} ${SENDABLE_KEY_RULE}.`);
    // Child processes must not inherit the token.
    delete process.env[JOB_TOKEN_VARIABLE];
    const files = filesIn(process.env[JOB_FILES_VARIABLE]);
    const { signal: stopped, forget } = stopSignal();
    const detached = new AbortController();
    if (invocation.flag('attached')) process.stdin.once('close', () => detached.abort()).resume();
    const signal = AbortSignal.any([stopped, detached.signal]);
    try {
      const how = await runWorker({ gatewayUrl, token, files, clock: systemClock, signal, open: openWork });
      // A cluster shows the exit code as the job status.
      return how === 'failed' ? EXIT_FAILED : 0;
    } catch (error) {
      output.err(`${error instanceof Error && !isKnown(error) ? error.stack : messageOf(error)}\n`);
      return EXIT_FAILED;
    } finally {
      forget();
    }
  },
};

const filesIn = (json: string | undefined): ReadonlyMap<string, string> | undefined =>
  json === undefined ? undefined : new Map(Object.entries(parseJsonText(json) as Record<string, string>));

const isKnown = (error: Error): boolean => 'reason' in error && error.reason !== undefined;

export const JOB_COMMANDS: CommandGroup = {
  summary: 'Run workflow jobs (used internally by workers).',
  commands: { run: jobRunCommand },
};
