import type { Registry } from 'prom-client';
import type { Clock } from '#platform/clock.ts';
import type { Redactor } from '#serve/redact.ts';
import type { Supervisor } from '../supervisor/managed-server.ts';
import type { Classify } from './classify.ts';
import { ScanGuard } from './guard.ts';
import type { Releases } from './releases.ts';

interface CreateGuardOptions {
  /** The supervisor, which is opened after the guard because its servers already send texts. */
  readonly supervisor: () => Pick<Supervisor, 'get'> | undefined;
  readonly redact: Redactor;
  readonly clock: Clock;
  readonly metrics?: Registry | undefined;
  readonly releases?: Releases | undefined;
  readonly classify?: Classify | undefined;
}

/** Releases that are lost when the program exits. */
function createReleases(): Releases {
  const known = new Map<string, string>();
  const keyOf = (server: string, item: string): string => `${server} ${item}`;
  return {
    has: (server, item, hash) => known.get(keyOf(server, item)) === hash,
    add(server, item, hash) {
      known.set(keyOf(server, item), hash);
      return Promise.resolve();
    },
    refresh: () => Promise.resolve(),
  };
}

/** Creates a guard that logs its findings in the logs of the servers. */
export const createGuard = ({
  supervisor,
  redact,
  clock,
  metrics,
  releases = createReleases(),
  classify,
}: CreateGuardOptions): ScanGuard =>
  new ScanGuard({
    now: clock.now,
    redact: redact.text,
    warn: (server, text) => supervisor()?.get(server)?.log('warn', text),
    metrics,
    releases,
    classify,
  });
