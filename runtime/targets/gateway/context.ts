import type { Registry } from 'prom-client';
import type { Clock } from '#platform/clock.ts';
import type { Kernel } from '#serve/kernel.ts';
import type { AlertsConfig } from './alerts/alert-message.ts';
import type { Idempotency } from './accounts/idempotency/idempotency.ts';
import type { WorkPayer } from './accounts/identity/identity.ts';
import type { WaitingRequests } from './accounts/ledger/waiting/queue-settings.ts';
import type { Completions, LiveRequest } from './requests/completions/completion.ts';
import type { KeyState } from './providers/adapters/keys/key-state.ts';
import type { ProviderQueue } from './requests/routing/provider-queue.ts';
import type { TargetEvent, TargetState } from './requests/routing/target-states.ts';
import type { WorkflowsConfig } from './config/spec.ts';
import type { Experiments } from './evaluation/experiments/experiment.ts';
import type { SignInFlow } from './accounts/sign-in/sign-in-flow.ts';
import type { GatewayState } from './gateway-state.ts';
import type { JobServices } from './evaluation/jobs/job-services.ts';
import type { Policy } from './requests/policy/policy.ts';
import type { CurrentModels } from './requests/models/model-set.ts';
import type { RegisteredAlias, EntryRegistry, RegisteredProvider } from './registry/registry.ts';
import type { ModelFollower } from './registry/follow-models.ts';
import type { Stored } from './requests/stored/stored.ts';
import type { TokenCounter } from './requests/tokens/token-counter.ts';
import type { UserTokens } from './requests/tools/user-tokens.ts';
import type { Telemetry } from './requests/completions/telemetry.ts';
import type { SingleJobs } from './evaluation/workflows/single-jobs.ts';
import type { ExperimentAnswers } from './evaluation/workflows/experiment-answers.ts';
import type { Workflows } from './evaluation/workflows/workflow.ts';

/** The other threads of this process, if there are any (docs/decisions/0160). */
export interface OtherThreads {
  /** Resolves when all threads know the revision. */
  noticeRevision(revision: number): Promise<void> | undefined;
  /** Passes on what this thread has learned about a target. */
  learned(event: TargetEvent): void;
  /** The requests in flight in all threads, oldest first. */
  live(own: readonly LiveRequest[]): Promise<readonly LiveRequest[]>;
  targets(own: readonly TargetState[]): Promise<readonly TargetState[]>;
  keys(own: readonly KeyState[]): Promise<readonly KeyState[]>;
  /** The waiting requests of all threads. */
  waiting(own: readonly WaitingRequests[]): Promise<readonly WaitingRequests[]>;
  /** The metrics of all threads in the Prometheus format. */
  metrics(own: Registry): Promise<string>;
}

/** State shared by the routes that call models, which serving threads also have. */
export interface ModelCallContext {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly state: GatewayState;
  readonly models: CurrentModels;
  readonly policy: Policy;
  readonly modelFollower: Pick<ModelFollower, 'refresh'>;
  readonly tokenCounter: TokenCounter;
  readonly completions: Completions;
  /** Requests that wait until providers have room. */
  readonly providerQueue: ProviderQueue;
  /** Runs requests with the same `Idempotency-Key` only once. */
  readonly idempotency: Idempotency;
  readonly telemetry: Telemetry;
  /** The URL at which users sign in; undefined if sign-in is not configured. */
  readonly signInUrl: string | undefined;
  /** Signs tokens that name users to MCP servers. */
  readonly userTokens: UserTokens;
  /** The payer for the model calls of a job's worker, by the worker's token. */
  readonly workerPayer: (token: string) => Promise<WorkPayer>;
}

/** State shared by the gateway's routes. */
export interface GatewayContext extends ModelCallContext {
  /** Undefined if sign-in is not configured. */
  readonly signIn: SignInFlow | undefined;
  readonly jobs: JobServices;
  readonly experiments: Experiments;
  readonly answers: ExperimentAnswers;
  readonly workflows: Workflows;
  readonly singleJobs: SingleJobs;
  /** Where to run new jobs. */
  readonly compute: WorkflowsConfig['compute'];
  readonly providers: EntryRegistry<RegisteredProvider>;
  readonly aliases: EntryRegistry<RegisteredAlias>;
  readonly stored: Stored;
  /** The configured alerts; a reload replaces them. */
  readonly alertsConfig: () => AlertsConfig | undefined;
  /** Whether callers can judge responses. */
  readonly hasFeedback: boolean;
  readonly version: string;
  /** The other threads of this process. */
  readonly threads: OtherThreads;
  /** Whether the database is writable. */
  readonly isDatabaseAvailable: () => Promise<boolean>;
  /** Reloads the configuration. Throws if it is invalid; the previous one then stays active. */
  readonly reload: () => Promise<void>;
}
