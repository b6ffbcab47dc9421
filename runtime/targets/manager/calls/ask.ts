import { AppError } from '../../../contract/errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import { serverName } from '../config/server-name.ts';
import type { ManagedServer, Supervisor } from '../supervisor/managed-server.ts';
import type { ServerCall } from './call.ts';
import type { AuditLog } from './audit.ts';
import { explainFailure, type FailureTexts } from './failures.ts';
import type { CallKind, CallObserver, CallOutcome } from './metrics.ts';
import type { Redactor } from '../../../serve/redact.ts';
import { type Visit, visit } from './visit.ts';

export interface AskParts {
  readonly supervisor: Supervisor;
  readonly redact: Redactor;
  readonly clock: Clock;
  readonly maxResultCharacters: number;
  readonly observer?: CallObserver | undefined;
  readonly audit?: AuditLog | undefined;
}

export interface Question {
  readonly kind: CallKind;
  /** What is asked for and with what, where that is to be recorded. */
  readonly audited?: { readonly name: string; readonly args: unknown };
  /** Whether it counts against the server's `concurrency`. Default true. */
  readonly takesTurn?: boolean;
  /** How a failure is told, with the server's own name. */
  readonly texts: (server: string) => FailureTexts;
}

/** One question to one server: may the caller ask it, whose turn is it, how did it go. Rejects only with AppErrors. */
export type Ask = <Result>(
  call: ServerCall,
  question: Question,
  work: (visit: Visit) => Promise<Result>,
) => Promise<Result>;

export function createAsk({ supervisor, redact, observer, audit, ...options }: AskParts): Ask {
  const { clock } = options;
  return async (call, { kind, audited, takesTurn, texts }, work) => {
    const startedAt = clock.now();
    let server: ManagedServer | undefined;
    const done = (outcome: CallOutcome, result?: unknown): void => {
      const milliseconds = clock.now() - startedAt;
      if (server) observer?.onCall(server.name, kind, outcome, milliseconds / 1000);
      if (audited) {
        audit?.record({ call, server: server?.name, kind, ...audited, outcome, milliseconds, result });
      }
    };
    try {
      server = reach(supervisor, call);
      const result = await visit(server, call, { ...options, takesTurn }, work);
      done(isToolError(result) ? 'tool-error' : 'ok', result);
      return result;
    } catch (error) {
      const name = server?.name ?? call.server;
      const failure = explainFailure(error, {
        texts: texts(name),
        redact,
        server: server?.name,
        signal: call.signal,
      });
      done(failure.code);
      throw failure;
    }
  };
}

/** Whoever may not use a server is not told either whether it is there. */
function reach(supervisor: Supervisor, { caller, server: typed }: ServerCall): ManagedServer {
  if (!caller.mayUse(serverName(typed))) {
    throw new AppError('ForbiddenError', `server not allowed: ${typed}`);
  }
  const server = supervisor.get(typed);
  if (!server) throw new AppError('NotFoundError', `server not found: ${typed}`);
  return server;
}

const isToolError = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'isError' in result && result.isError === true;
