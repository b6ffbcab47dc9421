import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { serverName } from '../config/server-name.ts';
import type { ManagedServer, Supervisor } from '../supervisor/managed-server.ts';
import type { ServerCall } from './call.ts';
import type { Approval } from './approval.ts';
import type { AuditLog } from './audit.ts';
import { requireSignIn, type SignInParts } from './require-sign-in.ts';
import { explainFailure, type FailureTexts, type CallContext, withCallContext } from './call-context.ts';
import type { CallKind, CallObserver, CallOutcome } from './metrics.ts';
import type { Tracer } from '#serve/telemetry/tracer.ts';
import type { Redactor } from '#serve/redact.ts';

export interface CallRunnerParts extends SignInParts {
  readonly supervisor: Supervisor;
  readonly redact: Redactor;
  readonly clock: Clock;
  readonly maxResultCharacters: number;
  readonly observer?: CallObserver | undefined;
  readonly audit?: AuditLog | undefined;
  readonly tracer?: Tracer | undefined;
}

/** The facts about a call for the audit log and metrics. Some are known only during the call. */
export interface AuditedFacts {
  readonly name: string;
  readonly args: unknown;
  /** The called tool by its own name, if the server has it and the caller can use it. */
  tool?: string;
  /** The decision of the approval rules. */
  approval?: Approval;
}

/** Describes a call for metrics, the audit log and error messages. */
export interface CallInfo {
  readonly kind: CallKind;
  /** The name and arguments for the audit log; undefined if the call is not audited. */
  readonly audited?: AuditedFacts;
  /** Whether the call counts toward the server's `concurrency`; true by default. */
  readonly takesTurn?: boolean;
  /** Returns the texts for a failure, given the normalized name of the server. */
  readonly texts: (server: string) => FailureTexts;
}

/**
 * Runs a call of one server: checks the permissions of the caller, waits for its turn, and records the outcome. Rejects with
 * AppErrors only.
 */
export type RunCall = <Result>(
  call: ServerCall,
  info: CallInfo,
  work: (context: CallContext) => Promise<Result>,
) => Promise<Result>;

export function createCallRunner({
  supervisor,
  signInPage,
  redact,
  observer,
  audit,
  ...options
}: CallRunnerParts): RunCall {
  const { clock } = options;
  return async (call, { kind, audited, takesTurn, texts }, work) => {
    const startedAt = clock.now();
    let server: ManagedServer | undefined;
    const record = (outcome: CallOutcome, result?: unknown): void => {
      const milliseconds = clock.now() - startedAt;
      if (server)
        observer?.onCall({
          server: server.name,
          kind,
          tool: audited?.tool,
          outcome,
          seconds: milliseconds / 1000,
        });
      if (audited) {
        audit?.record({ call, server: server?.name, kind, ...audited, outcome, milliseconds, result });
      }
    };
    try {
      server = findServer(supervisor, call);
      // Only for what a person sees: lists are often requested in the background.
      const signIn = requireSignIn(server, call, { supervisor, signInPage }, audited !== undefined);
      if (signIn) await signIn;
      // Chosen after the sign-in, which replaces the connection of the user.
      server = server.forUser(call.caller.user);
      const result = await withCallContext(server, call, { ...options, takesTurn }, work);
      record(isToolError(result) ? 'tool-error' : 'ok', result);
      return result;
    } catch (error) {
      const name = server?.name ?? call.server;
      const failure = explainFailure(error, {
        texts: texts(name),
        redact,
        server: server?.name,
        signal: call.signal,
      });
      record(failure.code);
      throw failure;
    }
  };
}

/** Returns the server of a call. Permissions are checked first, so that a caller cannot probe which servers exist. */
function findServer(supervisor: Supervisor, { caller, server: typed }: ServerCall): ManagedServer {
  if (!caller.canUse(serverName(typed))) {
    throw new AppError('ForbiddenError', `server not allowed: ${typed}`);
  }
  const server = supervisor.get(typed);
  if (!server) throw new AppError('NotFoundError', `server not found: ${typed}`);
  return server;
}

const isToolError = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'isError' in result && result.isError === true;
