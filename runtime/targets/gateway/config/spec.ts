import type { Secret } from '../../../core/text/redactions.ts';
import type { LogLevel } from '../../../serve/log-levels.ts';
import type { RateLimits } from '../accounts/identity/identity.ts';
import type { ModelsConfig } from '../ask/models/models-config.ts';
import type { DatabasePlace } from '../store/database-url.ts';

/** All that the gateway is told: by flags, environment and file, in this order, with defaults for the rest. */
export interface GatewayConfig {
  readonly server: ServerConfig;
  readonly database: DatabasePlace;
  readonly autoMigrate: boolean;
  readonly masterKey: string | undefined;
  /** Whether to make a first key, and to show it once, if there is none. */
  readonly bootstrapKey: boolean;
  /** Of users that have none of their own. */
  readonly userLimits: Partial<RateLimits>;
  readonly models: ModelsConfig;
  readonly metrics: boolean;
  readonly tracing: TracingConfig | undefined;
  readonly workflows: WorkflowsConfig;
  readonly logLevel: LogLevel;
  /** Values that may stand in no log and no answer. */
  readonly secrets: readonly Secret[];
}

export interface ServerConfig {
  readonly host: string;
  readonly port: number;
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** Listen on other addresses than loopback although no key is needed. */
  readonly insecure: boolean;
  readonly allowedHosts: readonly string[];
  /** Web pages that may call; `*` for all. None by default. */
  readonly corsOrigins: readonly string[];
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
  /** When told to stop: how long requests may take to finish. */
  readonly shutdownMs: number;
}

/** How jobs of workflows run. */
export interface WorkflowsConfig {
  /** Of new jobs. */
  readonly compute: 'local' | 'ray';
  /** Jobs that run at once beside this gateway. */
  readonly slots: number;
  /** Whether jobs of users may do what those of the master key may. */
  readonly trustUsers: boolean;
  readonly maxDatasetBytes: number;
  readonly ray: RayConfig | undefined;
}

export interface RayConfig {
  /** Of the dashboard, which has the Jobs API. */
  readonly address: string;
  readonly token: string | undefined;
  readonly slots: number;
  /** Starts this program on a node, as a shell reads it. */
  readonly command: string;
  /** Where nodes reach this gateway; its own address unless set. */
  readonly gatewayUrl: string | undefined;
  readonly resources: RayResources;
}

/** What Ray reserves on a node for each job. With all of it 0, Ray runs every job on the head node. */
export interface RayResources {
  readonly cpus: number;
  readonly gpus: number;
  /** Bytes. */
  readonly memory: number;
  readonly custom: Readonly<Record<string, number>>;
}

export interface TracingConfig {
  /** Where spans are sent to by OTLP over HTTP, with `/v1/traces`. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** Of requests that come without a decision of their own, 0 to 1. */
  readonly sampled: number;
}
