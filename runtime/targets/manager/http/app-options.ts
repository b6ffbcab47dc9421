import type { Hono } from 'hono';
import type { DirectRoute } from '#serve/http/exchange.ts';
import type { BodyOptions } from '#serve/http/body.ts';
import type { MetricsAccess } from '#core/cli/common-flags.ts';
import type { HostRules } from '#serve/http/request-head.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import type { Redactor } from '#serve/redact.ts';
import type { ConfigPaths } from '../config/config-paths.ts';
import type { CorsSettings, ResourceSettings, ServerSpec } from '../config/spec.ts';
import type { PackagePreparation } from '../pins/read-items.ts';
import type { Plugins } from '../plugins/plugins.ts';
import type { SignInStore } from '../sign-in/sign-in-store.ts';

/** The manager's configuration files, and the dependencies for changing them. */
export interface ManagerFiles {
  readonly paths: ConfigPaths;
  readonly keys: string;
  /** Undefined if calls are not audited. */
  readonly auditLog: string | undefined;
  readonly signIns: SignInStore;
  readonly packages: PackagePreparation;
  /** Reads the servers from the current configuration. */
  readonly readServers: () => Promise<readonly ServerSpec[]>;
}

export interface ManagerAppOptions {
  /** The listen address, and additional accepted host names. */
  readonly hostRules: Omit<HostRules, 'allowedOrigins'>;
  /** Rules for web pages from other origins. By default, their requests are rejected. */
  readonly cors?: CorsSettings | undefined;
  /** Who can read `/metrics`. Default: `key`. */
  readonly metrics?: MetricsAccess | undefined;
  /** Maximum size of a request body. Default 1 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Timeout for the body of a request. Default 5 s. */
  readonly bodyTimeoutMs?: number | undefined;
  /**
   * Whether a proxy in front of the manager sets X-Forwarded-* headers. If not, these headers are
   * ignored.
   */
  readonly trustProxy?: boolean | undefined;
  /** The MCP routes, on the same port. */
  readonly mcp?: { readonly routes: Hono<ShellEnv>; readonly direct: readonly DirectRoute[] } | undefined;
  /** Plugins for requests and responses. */
  readonly plugins?: Plugins | undefined;
  /** The authorization server whose access tokens are accepted. */
  readonly oauth?: ResourceSettings | undefined;
  /** Files that administrators read and change over HTTP; without them, these routes do not exist. */
  readonly files?: ManagerFiles | undefined;
  /** Redacts secrets in server errors. */
  readonly redact: Redactor;
}

const ONE_MEBIBYTE = 1_048_576;
const FIVE_SECONDS = 5000;
/** Maximum nesting depth of a body, because tool arguments can contain whole documents. */
const MAX_DEPTH = 500;

/** Returns the request body limits. */
export const bodyOptions = (options: ManagerAppOptions): BodyOptions & { readonly timeoutMs: number } => ({
  maxBodyBytes: options.maxBodyBytes ?? ONE_MEBIBYTE,
  timeoutMs: options.bodyTimeoutMs ?? FIVE_SECONDS,
  maxDepth: MAX_DEPTH,
  emptyMessage: 'request body is required',
  // Same as mcpd. Web pages can send such bodies without a preflight, but their requests are rejected because
  // of their Origin.
  anyJsonType: true,
  tooLargeMessage: (limit) => `request body is too large limit=${limit} bytes`,
});
