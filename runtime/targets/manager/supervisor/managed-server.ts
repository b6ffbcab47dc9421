import type { TurnQueue } from '#core/limits/turn-queue.ts';
import type { ServerSpec } from '../config/spec.ts';
import type { SignInState } from '../sign-in/sign-in-store.ts';
import type { LineLevel } from './log-level.ts';
import type { ListName } from '../shapes/check-list.ts';
import type { Connection } from '../upstream/connection.ts';

/** Keeps the configured servers running. */
export interface Supervisor {
  /** Returns the sorted names of all servers. */
  names(): readonly string[];
  /** Returns a server by its name; case and surrounding spaces are ignored. */
  get(name: string): ManagedServer | undefined;
  /** Applies a configuration; unchanged servers keep running. Rejects without changes if a new or changed server cannot start. */
  apply(servers: readonly ServerSpec[]): Promise<AppliedChanges>;
  /** Adds a listener for events of all servers; returns a function that removes it. */
  subscribe(listener: (event: ServerEvent) => void): () => void;
  /** Stops all servers. */
  close(): Promise<void>;
}

export interface AppliedChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly restarted: readonly string[];
  /** Servers with changed settings that did not require a restart. */
  readonly updated: readonly string[];
}

export interface ManagedServer {
  readonly name: string;
  /** Returns the current settings, which a reload can replace. */
  spec(): ServerSpec;
  health(): Health;
  status(): ServerStatus;
  /**
   * Returns a connection for calls. Starts a lazy server, and waits at most `timeoutMs` for a server that is starting. Rejects
   * with an UnavailableError, which has the seconds until a retry, if the server is down.
   */
  connection(options: {
    readonly timeoutMs: number;
    readonly signal?: AbortSignal | undefined;
  }): Promise<Connection>;
  /** Returns the connection that is open; undefined if the server does not run. */
  openConnection(): Connection | undefined;
  /**
   * Returns the server with the connection of a user, if it has one for each of them. Without an identity, it is the server itself,
   * which then rejects calls.
   */
  forUser(user: string | undefined): ManagedServer;
  /** Closes the connection of a user after a sign-in or sign-out, and notifies the user's clients. */
  signInChanged(user: string): void;
  /** Whether a person is signed in to a remote server; undefined for servers without a sign-in. */
  signIn(): SignInState | undefined;
  /** The queue of calls, which limits their concurrency. Queued calls wait while the server is replaced. */
  readonly turns: TurnQueue;
  restart(): Promise<void>;
  readonly logs: ServerLogs;
  /** Adds a message of the manager to the server's log. */
  log(level: LineLevel, text: string): void;
  readonly listFaults: ListFaults;
  readonly toolFindings: ToolFindings;
  /** Notifies clients of a changed list that the server did not announce. */
  announceChange(list: ListName): void;
}

/** Malformed items in the latest lists of a server, which are omitted. */
export interface ListFaults {
  /** Returns a sentence per malformed item. */
  all(): readonly string[];
  /** Adds the faults of a page; the first page of a list replaces its earlier faults. */
  report(list: string, faults: readonly string[], options: { readonly isFirstPage: boolean }): void;
  clear(): void;
}

/** A tool that is new or differs from its pinned definition. */
export interface ToolChange {
  readonly tool: string;
  readonly change: 'new' | 'changed';
}

/** Results of comparing the tools of a server with its pins and overrides. */
export interface ToolFindings {
  /** Tools that differ from the pinned ones. */
  changes(): readonly ToolChange[];
  /** Overrides that cannot be applied, as sentences. */
  faults(): readonly string[];
  /** Replaces the findings. `consequence` is for the log: what happens with changed tools. */
  report(
    latest: { readonly changes: readonly ToolChange[]; readonly faults: readonly string[] },
    consequence: string,
  ): void;
}

/** The status values of the HTTP API. */
export type HealthStatus = 'ok' | 'timeout' | 'unreachable' | 'unknown';

export interface Health {
  readonly status: HealthStatus;
  /** Time of the last check in milliseconds since 1970, with fractions; undefined before the first check. */
  readonly lastChecked: number | undefined;
  readonly lastSuccessful: number | undefined;
  readonly latencyNs: number | undefined;
}

/** The phases of a server, the most urgent first. */
export const PHASES = ['failed', 'waiting', 'installing', 'starting', 'stopping', 'running', 'idle'] as const;
export type ServerPhase = (typeof PHASES)[number];

export interface ServerStatus {
  readonly phase: ServerPhase;
  readonly pid: number | undefined;
  readonly startedAt: number | undefined;
  readonly restarts: number;
  /** The reason why the server is not running, or why it stopped the last time. */
  readonly reason: string | undefined;
  /** The lines that the server, or its installation, wrote about the reason. */
  readonly reasonLines: readonly string[];
  /** Time of the next attempt to start the server. */
  readonly nextStartAt: number | undefined;
  readonly protocolVersion: string | undefined;
  /** The name and version that the server reports. */
  readonly server: string | undefined;
  readonly running: number;
  readonly queued: number;
  /** Present problems with the behavior of the running server, as sentences. */
  readonly warnings: readonly string[];
}

/** The last lines of a server's stderr, with messages of the manager about the server. */
export interface ServerLogs {
  last(count: number): readonly LogLine[];
  follow(listener: (line: LogLine) => void): () => void;
}

export interface LogLine {
  readonly at: number;
  readonly source: 'server' | 'manager';
  readonly text: string;
}

/** An event of a server. `user` is the user whose connection it comes from, if the server has one for each of them. */
export type ServerEvent = { readonly user?: string | undefined } & (
  | { readonly kind: 'servers-changed' }
  | { readonly kind: 'phase-changed'; readonly server: string; readonly phase: ServerPhase }
  /** A new session of the server was opened, which has no subscriptions and log level yet. */
  | { readonly kind: 'session-opened'; readonly server: string }
  /** The user has signed in to the server, or signed out. */
  | { readonly kind: 'sign-in-changed'; readonly server: string }
  /** A list changed without an announcement of the server. */
  | { readonly kind: 'list-changed'; readonly server: string; readonly list: ListName }
  | {
      readonly kind: 'notification';
      readonly server: string;
      readonly method: string;
      readonly params: Readonly<Record<string, unknown>> | undefined;
    }
);

/** Returns the server that an event comes from, with the connection of its user if it has one for each user. */
export const serverOf = (
  supervisor: Pick<Supervisor, 'get'>,
  { server, user }: { readonly server: string } & Pick<ServerEvent, 'user'>,
): ManagedServer | undefined => supervisor.get(server)?.forUser(user);
