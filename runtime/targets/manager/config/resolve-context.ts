import type { Environment } from '#core/text/expand.ts';
import type { Report } from './problems.ts';
import type { Redactions } from '#core/text/redactions.ts';
import type { ServerEntry } from './server-entry.ts';
import type { ServerTimeouts } from './spec.ts';
import type { ItemPins } from './tool-policy.ts';

/** Inputs for resolving a server, in addition to its entries in the two files. */
export interface ServerResolveContext {
  readonly env: Environment;
  readonly platform: string;
  /** The folder of the servers file, at which relative paths start. */
  readonly folder: string;
  readonly timeouts: ServerTimeouts;
  readonly redactions: Redactions;
  /** Whether values in the servers file are also secrets. */
  readonly containsSecrets: boolean;
  /** Returns a server's pinned tools. */
  readonly pins: (entry: ServerEntry) => ItemPins | undefined;
  /** Reports problems in the servers file. */
  readonly report: Report;
  /** Reports problems in the secrets file. */
  readonly reportSecrets: Report;
}
