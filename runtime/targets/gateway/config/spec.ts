import type { TracingSettings } from '#serve/telemetry/tracing-settings.ts';
import type { Secret } from '#core/text/redactions.ts';
import type { MetricsAccess } from '#core/cli/common-flags.ts';
import type { AlertsConfig } from '../alerts/alert-message.ts';
import type { ProcessSettings } from '#serve/program/process-options.ts';
import type { LogLevel } from '#serve/log-levels.ts';
import type { RateLimits } from '../accounts/fields/shared-fields.ts';
import type { SignInConfig } from '../accounts/sign-in/sign-in-config.ts';
import type { WorkloadIssuer } from '../accounts/workloads/workload-config.ts';
import type { ModelsConfig } from '../requests/models/models-config.ts';
import type { DatabaseLocation } from '../store/database-url.ts';

/** The complete configuration. Precedence: flags, environment, file, defaults. */
export interface GatewayConfig {
  readonly server: ServerConfig;
  readonly database: DatabaseLocation;
  readonly autoMigrate: boolean;
  readonly masterKey: string | undefined;
  /** Whether to create an initial API key if there is none, and print it once. */
  readonly bootstrapKey: boolean;
  /** Undefined if sign-in is not configured. */
  readonly signIn: SignInConfig | undefined;
  readonly workloads: readonly WorkloadIssuer[];
  /** Default limits for users without their own. */
  readonly userLimits: Partial<RateLimits>;
  readonly models: ModelsConfig;
  /** Budget alerts; undefined if disabled. */
  readonly alerts: AlertsConfig | undefined;
  readonly metrics: MetricsAccess;
  readonly tracing: TracingSettings | undefined;
  readonly workflows: WorkflowsConfig;
  readonly audit: RetentionConfig;
  readonly promptLog: RetentionConfig;
  readonly feedback: { readonly isEnabled: boolean };
  readonly logLevel: LogLevel;
  /** Values to redact in logs and responses. */
  readonly secrets: readonly Secret[];
}

/** Record retention. */
interface RetentionConfig {
  /** Retention period; undefined for unlimited. */
  readonly retentionMs: number | undefined;
}

export interface ServerConfig extends ProcessSettings {
  readonly host: string;
  readonly port: number;
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** Whether addresses other than loopback are allowed without a master key. */
  readonly insecure: boolean;
  readonly allowedHosts: readonly string[];
  /** Allowed CORS origins; `*` allows all origins. */
  readonly corsOrigins: readonly string[];
  /** The gateway's public URL, for links in its responses. */
  readonly publicUrl?: string | undefined;
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
  /** Number of threads that serve model requests; 1 if the main thread does. */
  readonly threads: number;
  /** Graceful shutdown timeout. */
  readonly shutdownMs: number;
  /** How long to report "not ready" while still accepting requests, before the shutdown. */
  readonly shutdownDelayMs: number;
}

/** How to run workflow jobs. */
export interface WorkflowsConfig {
  /** Where to run new jobs. */
  readonly compute: 'local' | 'ray';
  /** Maximum number of workers per job. */
  readonly workers: number | 'auto';
  /** Maximum number of concurrent local workers. */
  readonly slots: number | 'auto';
  /** Whether users' jobs have the same permissions as jobs of the master key. */
  readonly trustUsers: boolean;
  readonly maxDatasetBytes: number;
  readonly ray: RayConfig | undefined;
}

export interface RayConfig {
  /** URL of the dashboard, which serves the Jobs API. */
  readonly address: string;
  readonly token: string | undefined;
  /** Maximum number of concurrent workers on the cluster. */
  readonly slots: number | 'auto';
  /** Shell command that starts this program on a node; undefined if nodes download this gateway's program. */
  readonly command: string | undefined;
  /** Maximum total size of the executables that a node keeps, unless more are in use. */
  readonly cacheBytes: number;
  /** URL at which nodes reach this gateway. Default: the gateway's own address. */
  readonly gatewayUrl: string | undefined;
  readonly resources: RayResources;
  /** Labels of the nodes that can run workers, with Ray label selectors as values. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Resources that Ray reserves on a node per worker. If all are 0, Ray runs every worker on the head node. */
export interface RayResources {
  readonly cpus: number;
  readonly gpus: number;
  /** Memory in bytes. */
  readonly memory: number;
  readonly custom: Readonly<Record<string, number>>;
}
