import type { MessagePort } from 'node:worker_threads';
import type { AppError } from '#contract/errors.ts';
import type { ConnectionEnds } from '#serve/threads/port-connection.ts';
import type { WorkPayer } from '../../accounts/identity/identity.ts';
import type { LedgerFunctions } from '../../accounts/ledger/thread-ledger.ts';
import type { WaitingRequests } from '../../accounts/ledger/waiting/queue-settings.ts';
import type { CopiedFlags } from '../../config/flags-and-env.ts';
import type { CacheFunctions } from '../../requests/cache/thread-cache.ts';
import type { ToolMemoryFunctions } from '../../requests/tools/tool-memory.ts';
import type { TurnFunctions } from '../../providers/adapters/provider-turns.ts';
import type { EncoderAddress } from '#serve/encoder/keep-encoder.ts';
import type { LiveRequest } from '../../requests/completions/completion.ts';
import type { KeyState } from '../../providers/adapters/keys/key-state.ts';
import type { TargetEvent, TargetState } from '../../requests/routing/target-states.ts';

// What the main thread of a gateway and its serving threads can call in each other (docs/decisions/0160).

/** Data with which a serving thread starts. */
export interface ServingOrder {
  readonly flags: CopiedFlags;
  /** Number of serving threads. */
  readonly threads: number;
}

/** Called by a serving thread when it has started, or cannot start. */
export interface StartFunctions {
  opened(): void;
  refused(error: Pick<AppError, 'code' | 'message'>): void;
}

/** Offered by the main thread, to each serving thread. */
export interface MainFunctions extends LedgerFunctions, CacheFunctions, TurnFunctions, ToolMemoryFunctions {
  /** Writes a log line. */
  log(line: string): void;
  /** Accepts a client's connection for requests that serving threads do not handle. */
  connect(ends: ConnectionEnds, port: MessagePort): void;
  /** Receives what the thread has learned about a target, for all other threads. */
  learned(event: TargetEvent): void;
  encoderAddress(name: string): Promise<EncoderAddress>;
  /** The payer for the model calls of a job's worker. */
  workerPayer(token: string): Promise<WorkPayer>;
}

/** Offered by each serving thread. */
export interface ServingFunctions {
  /** Listens on the port, which all serving threads share. */
  listen(port: number): Promise<void>;
  ready(): void;
  noticeRevision(revision: number): void;
  learn(event: TargetEvent): void;
  live(): readonly LiveRequest[];
  targets(): readonly TargetState[];
  keys(): readonly KeyState[];
  /** The requests that wait for providers. */
  waiting(): readonly WaitingRequests[];
  /** The thread's metrics, as JSON. */
  metrics(): Promise<readonly object[]>;
  /** Reads the configuration again and applies it. */
  reload(): Promise<void>;
  announceStop(): void;
  drain(patienceMs: number | undefined): Promise<void>;
  cut(reason: Pick<AppError, 'code' | 'message' | 'reason'>): void;
  /** Closes connections within `graceMs`, then waits up to `drainMs` for the usage of their requests. */
  close(graceMs: number, drainMs: number): Promise<void>;
}
