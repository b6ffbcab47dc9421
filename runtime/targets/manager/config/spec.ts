import type { Secret } from '../../../core/text/redactions.ts';
import type { PluginSettings } from './plugin-settings.ts';

/** What the manager is to run, read from its files and resolved: no placeholder is left in it, and every default is set. */
export interface ManagerConfig {
  /** In the order of the file, names unique. Servers that are switched off are left out. */
  readonly servers: readonly ServerSpec[];
  readonly daemon: DaemonSettings;
  readonly plugins: PluginSettings;
  /** Values that must never be shown: everything that came out of the secrets file or a placeholder. */
  readonly secrets: readonly Secret[];
  /** The files this was read from; a change of one of them is a reason to read again. */
  readonly files: readonly string[];
}

/** One MCP server. */
export interface ServerSpec {
  /** Lower case, trimmed: the one spelling used everywhere. */
  readonly name: string;
  readonly launch: Launch;
  readonly tools: NameFilter;
  readonly prompts: NameFilter;
  /** Matched against URIs. */
  readonly resources: NameFilter;
  /** Only tools whose annotations say `readOnlyHint: true` are offered. */
  readonly readOnly: boolean;
  /** Started by the first request for it, and stopped again after `idleMs` without one. */
  readonly lazy: boolean;
  readonly idleMs: number;
  readonly timeouts: ServerTimeouts;
  /** Calls that run at once, and those that may wait for their turn; more are refused. */
  readonly concurrency: number;
  readonly queue: number;
}

export type Launch = ProcessLaunch | RemoteLaunch | UnusableLaunch;

/** A server that cannot be started, as its own values are incomplete or wrong: a variable that is not set, a required argument. */
interface UnusableLaunch {
  readonly kind: 'unusable';
  /** Sentences. */
  readonly problem: string;
}

/** A child process that speaks over its stdin and stdout. */
export interface ProcessLaunch {
  readonly kind: 'process';
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the child: it inherits nothing. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
  /** Set if the command only asks docker to run the server: how the container's name begins. */
  readonly container?: string | undefined;
}

/** A server that runs elsewhere. */
export interface RemoteLaunch {
  readonly kind: 'remote';
  readonly transport: 'http' | 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly oauth?: OAuthClient | undefined;
}

/** OAuth 2 client credentials. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope?: string | undefined;
  /** Where tokens are; found by the server's own metadata when left out. */
  readonly tokenUrl?: string | undefined;
}

/** Patterns with `*`, compared without case. What matches `allow` and not `deny` is offered. */
export interface NameFilter {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** In milliseconds. */
export interface ServerTimeouts {
  readonly init: number;
  readonly request: number;
  readonly shutdown: number;
}

/** The `[daemon]` section; what is not set there has its default, and flags go before both. */
export interface DaemonSettings {
  readonly addr: string;
  readonly shutdownMs: number;
  readonly healthMs: number;
  readonly healthIntervalMs: number;
  readonly cors: CorsSettings | undefined;
}

export interface CorsSettings {
  readonly origins: readonly string[];
  readonly methods: readonly string[];
  readonly headers: readonly string[];
  readonly exposedHeaders: readonly string[];
  readonly credentials: boolean;
  readonly maxAgeSeconds: number;
}
