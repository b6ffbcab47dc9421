import type { Cancellation } from '#core/limits/cancellation.ts';
import type { TurnQueue } from '#core/limits/turn-queue.ts';
import type { ServerSpec } from '../config/spec.ts';
import type { ServerUser } from '../access/caller.ts';
import type { SignInState } from '../sign-in/sign-in-store.ts';
import type { LineLevel } from './log-level.ts';
import type { FillProblem } from '../user-secrets/fill-launch.ts';
import type { ItemKind, ListName } from '../shared/list-items.ts';
import type { Connection, RequestHeaders } from '../upstream/connection.ts';

/** Keeps the configured servers running. */
export interface Supervisor {
  /** Returns the sorted names of all servers. */
  names(): readonly string[];
  /** Returns a server by name, ignoring case and surrounding spaces. */
  get(name: string): ManagedServer | undefined;
  /**
   * Applies a configuration; unchanged servers keep running. Rejects without changing anything if a new or
   * changed server cannot start.
   */
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
  /** Servers whose settings changed without requiring a restart. */
  readonly updated: readonly string[];
}

export interface ManagedServer {
  readonly name: string;
  /** Returns the current settings, which a reload can replace. */
  spec(): ServerSpec;
  health(): Health;
  status(): ServerStatus;
  /**
   * Returns a connection for calls. Starts a lazy server, and waits up to `timeoutMs` for a server that is
   * starting. If the server is down, rejects with an UnavailableError that contains the seconds until a
   * retry.
   */
  connection(options: ConnectionOptions): Connection | Promise<Connection>;
  /** Returns the open connection; undefined if the server is not running. */
  openConnection(): Connection | undefined;
  /**
   * Returns the server with a user's process or connection, if it has one per user. Without an identity,
   * returns the server itself, which then rejects calls.
   */
  forUser(user: ServerUser): ManagedServer;
  /** Returns a user's process or connection by its key in events; undefined if it does not exist any more. */
  instance(key: string | undefined): ManagedServer | undefined;
  /** The number of processes or connections of a server with one per user. */
  instances(): Instances | undefined;
  /** Why values of the user are missing; undefined if the server can start. */
  valuesProblem(): FillProblem | undefined;
  /** Why a user cannot call the server, because values of the user are missing. */
  problemOf(user: ServerUser): FillProblem | undefined;
  /** Returns the headers with the user's values for a call on a connection that all users share. */
  callHeaders(user: ServerUser): RequestHeaders | undefined;
  /**
   * Stops a lazy server that no call uses; the next call starts it. Resolves when its process has exited. Has no
   * effect on other servers.
   */
  sleep(): Promise<void>;
  /** Sets the time of the oldest list that clients get while the server is stopped. */
  reportLists(listedAt: number | undefined): void;
  /** Closes a user's processes or connections after a sign-in or sign-out, and notifies the user's clients. */
  userChanged(user: string): void;
  /** Closes those in which secrets of the user have changed, and notifies the user's clients. */
  secretsChanged(user: string): void;
  /** Whether a user is signed in to a remote server; undefined for servers without sign-in. */
  signIn(): SignInState | undefined;
  /** The call queue, which limits concurrency. Queued calls wait while the server is replaced. */
  readonly turns: TurnQueue;
  restart(): Promise<void>;
  readonly logs: ServerLogs;
  /** Adds a manager message to the server's log. */
  log(level: LineLevel, text: string): void;
  readonly listFaults: ListFaults;
  readonly pinFindings: PinFindings;
  /** Notifies clients of a list change that the server did not announce. */
  announceChange(list: ListName): void;
}

export interface Instances {
  readonly running: number;
  readonly max: number;
}

/** Malformed items in a server's latest lists, which are omitted. */
export interface ListFaults {
  /** Returns one sentence per malformed item. */
  all(): readonly string[];
  /** Adds a page's faults; the first page of a list replaces the list's earlier faults. */
  report(list: string, faults: readonly string[], options: { readonly isFirstPage: boolean }): void;
  clear(): void;
}

/** A tool that is new or differs from its pin. */
export interface ToolChange {
  readonly tool: string;
  readonly change: 'new' | 'changed';
}

/** A prompt, resource or resource template that is new or differs from its pin. */
export interface ItemChange {
  readonly kind: ItemKind;
  /** For resources, the URI. */
  readonly name: string;
  readonly change: 'new' | 'changed';
}

/** Findings from comparing a server's items with its pins, and its tools with their overrides. */
export interface PinFindings {
  /** Tools that differ from their pins. */
  changes(): readonly ToolChange[];
  /** Other items that differ from their pins. */
  itemChanges(): readonly ItemChange[];
  /** Overrides that cannot be applied, as sentences. */
  faults(): readonly string[];
  /** Replaces the findings about tools. `consequence` describes for the log what happens to changed tools. */
  report(
    latest: { readonly changes: readonly ToolChange[]; readonly faults: readonly string[] },
    consequence: string,
  ): void;
  /** Replaces the findings about the items of another list. */
  reportItems(list: ListName, changes: readonly ItemChange[], consequence: string): void;
}

/** The HTTP API's status values. */
export type HealthStatus = 'ok' | 'timeout' | 'unreachable' | 'unknown';

export interface Health {
  readonly status: HealthStatus;
  /** Time of the last check in milliseconds since 1970, with fractions; undefined before the first check. */
  readonly lastChecked: number | undefined;
  readonly lastSuccessful: number | undefined;
  readonly latencyNs: number | undefined;
}

/** Server phases, most urgent first. */
export const PHASES = ['failed', 'waiting', 'installing', 'starting', 'stopping', 'running', 'idle'] as const;
export type ServerPhase = (typeof PHASES)[number];

export interface ServerStatus {
  readonly phase: ServerPhase;
  readonly pid: number | undefined;
  readonly startedAt: number | undefined;
  readonly restarts: number;
  /** Why the server is not running, or why it last stopped. */
  readonly reason: string | undefined;
  /** Output of the server or its installation about the reason. */
  readonly reasonLines: readonly string[];
  /** Time of the next start attempt. */
  readonly nextStartAt: number | undefined;
  readonly protocolVersion: string | undefined;
  /** The name and version reported by the server. */
  readonly server: string | undefined;
  readonly running: number;
  readonly queued: number;
  /** Current problems with the running server's behavior, as sentences. */
  readonly warnings: readonly string[];
  /** For a lazy server: when it returned the lists that clients get while it is stopped. */
  readonly listsReadAt: number | undefined;
}

export interface ConnectionOptions {
  readonly timeoutMs: number;
  readonly signal?: Cancellation | undefined;
}

/** The last lines of a server's stderr, together with the manager's messages about the server. */
export interface ServerLogs {
  last(count: number): readonly LogLine[];
  follow(listener: (line: LogLine) => void): () => void;
}

export interface LogLine {
  readonly at: number;
  /** The user whose process wrote the line, if each user has one. */
  readonly user?: string | undefined;
  readonly source: 'server' | 'manager';
  readonly text: string;
}

/**
 * A server event. `user` is the key of the process or connection that it comes from, if the server has one per
 * user.
 */
export type ServerEvent = { readonly user?: string | undefined } & (
  | { readonly kind: 'servers-changed' }
  | { readonly kind: 'phase-changed'; readonly server: string; readonly phase: ServerPhase }
  /** The server opened a new session, which has no subscriptions and no log level yet. */
  | { readonly kind: 'session-opened'; readonly server: string }
  /** A lazy server is about to be stopped, after the work that listeners pass to `waitFor`. */
  | {
      readonly kind: 'idle';
      readonly server: string;
      readonly waitFor: (work: Promise<unknown>) => void;
    }
  /** The user signed in to the server or signed out, or the user's secrets changed. Here, `user` is the user. */
  | { readonly kind: 'user-changed'; readonly server: string }
  /** A list changed without an announcement from the server. */
  | { readonly kind: 'list-changed'; readonly server: string; readonly list: ListName }
  | {
      readonly kind: 'notification';
      readonly server: string;
      readonly method: string;
      readonly params: Readonly<Record<string, unknown>> | undefined;
    }
);

/** Returns the server that an event comes from, with its user's connection if the server has one per user. */
export const serverOf = (
  supervisor: Pick<Supervisor, 'get'>,
  { server, user }: { readonly server: string } & Pick<ServerEvent, 'user'>,
): ManagedServer | undefined => supervisor.get(server)?.instance(user);
