import { AppError, messageOf } from '#contract/errors.ts';
import type { ServerSpec } from '../config/spec.ts';
import type { Session } from './session.ts';
import type { SupervisedServer } from './supervised-server.ts';

export interface Opening {
  readonly server: SupervisedServer;
  readonly spec: ServerSpec;
}

/** Opens the sessions of several servers concurrently: all of them or, if one fails, none. */
export async function openAll(
  openings: readonly Opening[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Session>> {
  const oneFailed = new AbortController();
  const failures: string[] = [];
  const sessions = new Map<string, Session>();
  await Promise.all(
    openings.map(async ({ server, spec }) => {
      try {
        sessions.set(spec.name, await server.open(spec, AbortSignal.any([signal, oneFailed.signal])));
      } catch (error) {
        // The other starts are aborted after the first failure, so their errors have no information.
        if (!oneFailed.signal.aborted)
          failures.push(`Server ${spec.name} failed to start: ${messageOf(error).replace(/\.$/, '')}`);
        oneFailed.abort();
      }
    }),
  );
  const [failure] = failures;
  if (failure === undefined) return sessions;
  await Promise.all(Array.from(sessions.values(), (session) => session.close()));
  throw new AppError('ConfigError', `${failure}. No changes were applied.`);
}
