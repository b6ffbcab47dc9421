import type { TurnQueue } from '../../../core/limits/turn-queue.ts';
import type { ServerSpec } from '../config/spec.ts';
import type { LineLevel } from './log-level.ts';
import type { ListName } from '../shapes/check-list.ts';
import type { Connection } from '../upstream/connection.ts';

/** Keeps the configured servers running. */
export interface Supervisor {
  /** Sorted. */
  names(): readonly string[];
  /** The name in any case, with spaces around it. */
  get(name: string): ManagedServer | undefined;
  /** Brings what runs in line with the configuration; only servers that changed are touched. Rejects, and changes nothing, if a changed or new server cannot start. */
  apply(servers: readonly ServerSpec[]): Promise<AppliedChanges>;
  /** Tells of everything that a client of the manager might want to hear. */
  subscribe(listener: (event: ServerEvent) => void): () => void;
  /** Stops all servers. */
  close(): Promise<void>;
}

export interface AppliedChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly restarted: readonly string[];
  /** Only what is offered of them changed. */
  readonly updated: readonly string[];
}

export interface ManagedServer {
  readonly name: string;
  /** As it is now; a reload may replace it. */
  spec(): ServerSpec;
  health(): Health;
  status(): ServerStatus;
  /**
   * A connection to call it by. Starts a lazy server and waits for one that starts, at most `timeoutMs`; throws an
   * UnavailableError with the seconds to wait for one that is down.
   */
  connection(options: {
    readonly timeoutMs: number;
    readonly signal?: AbortSignal | undefined;
  }): Promise<Connection>;
  /** Whose turn it is to ask something of the server; holds on to what was accepted while the server is replaced. */
  readonly turns: TurnQueue;
  restart(): Promise<void>;
  readonly logs: ServerLogs;
  /** Adds a line of the manager to the server's log. */
  log(level: LineLevel, text: string): void;
  readonly listFaults: ListFaults;
  /** Reports a change of a list that the server did not announce. */
  announceChange(list: ListName): void;
}

/** Items of the server's lists that are left out because they are malformed, as last listed. */
export interface ListFaults {
  /** A sentence for each. */
  all(): readonly string[];
  /** What was found on a page of a list; the first page replaces what was known of the list. */
  report(list: string, faults: readonly string[], options: { readonly isFirstPage: boolean }): void;
  clear(): void;
}

/** The contract's words. */
export type HealthStatus = 'ok' | 'timeout' | 'unreachable' | 'unknown';

export interface Health {
  readonly status: HealthStatus;
  /** Milliseconds since 1970, with fractions; undefined as long as there was none. */
  readonly lastChecked: number | undefined;
  readonly lastSuccessful: number | undefined;
  readonly latencyNs: number | undefined;
}

export type ServerPhase = 'idle' | 'starting' | 'running' | 'waiting' | 'failed' | 'stopping';

export interface ServerStatus {
  readonly phase: ServerPhase;
  readonly pid: number | undefined;
  readonly startedAt: number | undefined;
  readonly restarts: number;
  /** Why it is not running, or why it last ended. */
  readonly reason: string | undefined;
  /** When the next attempt to start it is due. */
  readonly nextStartAt: number | undefined;
  readonly protocolVersion: string | undefined;
  /** What the server calls itself. */
  readonly server: string | undefined;
  readonly running: number;
  readonly queued: number;
}

/** The last lines of a server's stderr, and what the manager has to say about it. */
export interface ServerLogs {
  last(count: number): readonly LogLine[];
  follow(listener: (line: LogLine) => void): () => void;
}

export interface LogLine {
  readonly at: number;
  readonly source: 'server' | 'manager';
  readonly text: string;
}

export type ServerEvent =
  | { readonly kind: 'servers-changed' }
  | { readonly kind: 'phase-changed'; readonly server: string; readonly phase: ServerPhase }
  /** It was started, also while another one of it ran: this one knows nothing of what clients asked that one for. */
  | { readonly kind: 'session-opened'; readonly server: string }
  /** A list differs from the one before, and the server did not announce it. */
  | { readonly kind: 'list-changed'; readonly server: string; readonly list: ListName }
  | {
      readonly kind: 'notification';
      readonly server: string;
      readonly method: string;
      readonly params: Readonly<Record<string, unknown>> | undefined;
    };
