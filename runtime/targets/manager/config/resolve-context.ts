import type { Environment } from '../../../core/text/expand.ts';
import type { Report } from './problems.ts';
import type { Redactions } from '../../../core/text/redactions.ts';
import type { ServerTimeouts } from './spec.ts';

/** The inputs for resolving a server in addition to its entries in the two files. */
export interface ResolveContext {
  readonly env: Environment;
  readonly platform: string;
  readonly timeouts: ServerTimeouts;
  readonly redactions: Redactions;
  /** Whether the values in the servers file are secrets, too. */
  readonly containsSecrets: boolean;
  /** Reports problems in the servers file. */
  readonly report: Report;
  /** Reports problems in the secrets file. */
  readonly reportSecrets: Report;
}
