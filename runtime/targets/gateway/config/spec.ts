import type { TracingSettings } from '#serve/telemetry/tracing-settings.ts';
import type { Secret } from '#core/text/redactions.ts';
import type { MetricsAccess } from '#serve/http/health.ts';
import type { AlertsConfig } from '../alerts/alert-message.ts';
import type { ProcessSettings } from '#serve/program/process-options.ts';
import type { LogLevel } from '#serve/log-levels.ts';
import type { RateLimits } from '../accounts/fields/shared-fields.ts';
import type { SignInConfig } from '../accounts/sign-in/sign-in-config.ts';
import type { ModelsConfig } from '../requests/models/models-config.ts';
import type { DatabaseLocation } from '../store/database-url.ts';

/** The complete configuration. Precedence: flags, environment, file, defaults. */
export interface GatewayConfig {
  readonly server: ServerConfig;
  readonly database: DatabaseLocation;
  readonly autoMigrate: boolean;
  readonly masterKey: string | undefined;
  /** Whether to create a first API key if there is none, and print it once. */
  readonly bootstrapKey: boolean;
  /** Undefined if users cannot sign in. */
  readonly signIn: SignInConfig | undefined;
  /** Default limits for users without their own. */
  readonly userLimits: Partial<RateLimits>;
  readonly models: ModelsConfig;
  /** Alerts about budgets; undefined if they are disabled. */
  readonly alerts: AlertsConfig | undefined;
  readonly metrics: MetricsAccess;
  readonly tracing: TracingSettings | undefined;
  readonly workflows: WorkflowsConfig;
  readonly audit: RetentionConfig;
  readonly promptLog: RetentionConfig;
  readonly logLevel: LogLevel;
  /** Values that logs and answers must not contain. */
  readonly secrets: readonly Secret[];
}

/** How records are kept. */
interface RetentionConfig {
  /** How long; undefined for forever. */
  readonly retentionMs: number | undefined;
}

export interface ServerConfig extends ProcessSettings {
  readonly host: string;
  readonly port: number;
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** Whether addresses other than loopback are allowed without a master key. */
  readonly insecure: boolean;
  readonly allowedHosts: readonly string[];
  /** Allowed CORS origins; `*` allows all. */
  readonly corsOrigins: readonly string[];
  /** The URL at which clients reach the gateway, for the URLs in its answers. */
  readonly publicUrl?: string | undefined;
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
  /** Graceful shutdown timeout. */
  readonly shutdownMs: number;
  /** Time to report that the gateway is not ready and still admit requests, before the shutdown. */
  readonly shutdownDelayMs: number;
}

/** How workflow jobs run. */
export interface WorkflowsConfig {
  /** Where new jobs run. */
  readonly compute: 'local' | 'ray';
  /** Maximum number of workers of a job. */
  readonly workers: number | 'auto';
  /** Maximum number of concurrent local workers. */
  readonly slots: number | 'auto';
  /** Whether jobs of users have the same permissions as jobs of the master key. */
  readonly trustUsers: boolean;
  readonly maxDatasetBytes: number;
  readonly ray: RayConfig | undefined;
}

export interface RayConfig {
  /** URL of the dashboard, which has the Jobs API. */
  readonly address: string;
  readonly token: string | undefined;
  /** Maximum number of concurrent workers on the cluster. */
  readonly slots: number | 'auto';
  /** Shell command that starts this program on a node; undefined if nodes fetch the program of this gateway. */
  readonly command: string | undefined;
  /** Maximum size of the executables that a node keeps, unless more are in use. */
  readonly cacheBytes: number;
  /** URL at which nodes reach this gateway (default: its own address). */
  readonly gatewayUrl: string | undefined;
  readonly resources: RayResources;
  /** Labels of the nodes on which workers run, with Ray's selectors as values. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Resources that Ray reserves on a node for each worker. If all are 0, Ray runs every worker on the head node. */
export interface RayResources {
  readonly cpus: number;
  readonly gpus: number;
  /** Memory in bytes. */
  readonly memory: number;
  readonly custom: Readonly<Record<string, number>>;
}
