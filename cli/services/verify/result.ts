import type { SectionVerdict } from '../../../runtime/contract/container/verify.ts';
import { type AppError, configError } from '../../../runtime/contract/errors.ts';
import { alteredMessage, verificationText } from '../../../runtime/core/model/verification.ts';

export interface VerifyResult {
  readonly file: string;
  readonly intact: boolean;
  readonly sections: readonly SectionVerdict[];
}

export const verifySummary = ({ file, sections }: VerifyResult): string => verificationText(file, sections);

/** The error to report, if a section is corrupted. */
export const verifyError = ({ file, intact, sections }: VerifyResult): AppError | undefined =>
  intact ? undefined : configError(alteredMessage(file, sections));
