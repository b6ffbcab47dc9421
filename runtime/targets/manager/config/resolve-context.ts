import type { Environment } from '../../../core/text/expand.ts';
import type { Report } from './problems.ts';
import type { Redactions } from '../../../core/text/redactions.ts';
import type { ServerTimeouts } from './spec.ts';

/** What the values of a server depend on besides its two entries. */
export interface ResolveContext {
  readonly env: Environment;
  readonly platform: string;
  readonly timeouts: ServerTimeouts;
  readonly redactions: Redactions;
  /** Whether the values of the file of servers are secrets too. */
  readonly holdsSecrets: boolean;
  /** Reports about places in the file of servers, and in the secrets file. */
  readonly report: Report;
  readonly reportSecrets: Report;
}
