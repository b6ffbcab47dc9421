import type { Registry } from 'prom-client';
import { type Clock, systemClock } from '#platform/clock.ts';
import type { Supervisor } from '../supervisor/managed-server.ts';
import type { Calls } from './call.ts';
import { createCallRunner } from './run-call.ts';
import type { SignInPage } from './require-sign-in.ts';
import { serverOf } from './server-of.ts';
import type { AuditLog } from './audit.ts';
import { type CallObserver, observeCalls } from './metrics.ts';
import { listAllCalls } from './list-all.ts';
import { promptCalls } from './prompts.ts';
import type { Tracer } from '#serve/telemetry/tracer.ts';
import type { Redactor } from '#serve/redact.ts';
import { resourceCalls } from './resources.ts';
import { createCheckList } from '../shapes/check-list.ts';
import { mcpCalls } from './mcp-calls.ts';
import { createToolCatalog } from './tool-catalog.ts';
import { createServerLists } from './server-lists.ts';
import { createCallStatistics } from './statistics.ts';
import { toolCalls } from './tools.ts';
import { watchPins } from './watch-pins.ts';

/** @internal Exported for tests only. */
export interface CallLimits {
  /** Maximum size of a result, in characters of JSON. */
  readonly maxResultCharacters: number;
}

const DEFAULT_LIMITS: CallLimits = { maxResultCharacters: 32 * 1_048_576 };

export interface CallsOptions {
  readonly supervisor: Supervisor;
  readonly redact: Redactor;
  readonly audit?: AuditLog | undefined;
  readonly limits?: CallLimits | undefined;
  readonly metrics?: Registry | undefined;
  readonly clock?: Clock | undefined;
  readonly tracer?: Tracer | undefined;
  readonly signInPage?: SignInPage | undefined;
}

export function createCalls({
  supervisor,
  redact,
  audit,
  limits = DEFAULT_LIMITS,
  metrics,
  clock = systemClock,
  tracer,
  signInPage,
}: CallsOptions): Calls {
  const statistics = createCallStatistics(supervisor, clock.now);
  const observers = [statistics, ...(metrics ? [observeCalls(metrics, supervisor)] : [])];
  const observer: CallObserver = {
    onCall: (call) => {
      for (const { onCall } of observers) onCall(call);
    },
  };
  const checkList = createCheckList();
  supervisor.subscribe((event) => {
    if (event.kind === 'session-opened') serverOf(supervisor, event)?.listFaults.clear();
  });
  const options = { supervisor, signInPage, redact, clock, audit, observer, tracer };
  const runCall = createCallRunner({ ...options, ...limits });
  const lists = createServerLists(supervisor, { clock, checkList });
  const catalog = createToolCatalog(lists, clock);
  watchPins(supervisor, catalog);
  return {
    statistics: statistics.of,
    servers: (caller) => supervisor.names().filter((name) => caller.canUse(name)),
    ...toolCalls(runCall, catalog),
    ...listAllCalls(runCall, lists, catalog, supervisor),
    ...promptCalls(runCall, checkList),
    ...resourceCalls(runCall, checkList),
    ...mcpCalls(runCall),
  };
}
