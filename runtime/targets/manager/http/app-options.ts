import type { Hono } from 'hono';
import type { BodyOptions } from '../../../serve/http/body.ts';
import type { MetricsAccess } from '../../../serve/http/health.ts';
import type { HostRules } from '../../../serve/http/host-rules.ts';
import type { ShellEnv } from '../../../serve/http/request-id.ts';
import type { Redactor } from '../../../serve/redact.ts';
import type { CorsSettings } from '../config/spec.ts';
import type { Plugins } from '../plugins/plugins.ts';

export interface ManagerAppOptions {
  /** The address the server listens on, and the names it answers to besides. */
  readonly hostRules: Omit<HostRules, 'allowedOrigins'>;
  /** Web pages of other origins that may call; none by default. */
  readonly cors?: CorsSettings | undefined;
  /** Default: `key`. */
  readonly metrics?: MetricsAccess | undefined;
  /** Default 1 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** How long the body of a request may take to arrive. Default 5 s. */
  readonly bodyTimeoutMs?: number | undefined;
  /** Believe what any client says of the address it reached the server by, not only those of this machine. */
  readonly trustProxy?: boolean | undefined;
  /** The routes of MCP, which share the port. */
  readonly mcp?: Hono<ShellEnv> | undefined;
  /** What looks at requests and answers. */
  readonly plugins?: Plugins | undefined;
  /** Takes secrets out of what servers say went wrong. */
  readonly redact: Redactor;
}

const ONE_MEBIBYTE = 1_048_576;
const FIVE_SECONDS = 5000;
/** The arguments of tools may hold whole documents. */
const MOST_NESTED = 500;

/** How bodies are read. */
export const bodyOptions = (options: ManagerAppOptions): BodyOptions & { readonly timeoutMs: number } => ({
  maxBodyBytes: options.maxBodyBytes ?? ONE_MEBIBYTE,
  timeoutMs: options.bodyTimeoutMs ?? FIVE_SECONDS,
  maxDepth: MOST_NESTED,
  emptyMessage: 'request body is required',
  tooLargeMessage: (limit) => `request body is too large limit=${limit} bytes`,
});
