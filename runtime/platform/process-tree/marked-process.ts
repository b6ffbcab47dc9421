import type { ProcessIdentity } from './process-identity.ts';

/** The variable in the environment of child processes by which they and everything they start are found. */
export const MARK_VARIABLE = 'ENCODERFILE_SERVER';

export interface MarkedProcess extends ProcessIdentity {
  readonly mark: string;
}
