import type { SectionVerdict } from '#contract/container/verify.ts';
import { type AppError, configError } from '#contract/errors.ts';
import { alteredMessage, verificationText } from '#core/model/verification.ts';

export interface VerifyResult {
  readonly file: string;
  readonly intact: boolean;
  readonly sections: readonly SectionVerdict[];
}

export const verifySummary = ({ file, sections }: VerifyResult): string => verificationText(file, sections);

/** The error to report if a section is corrupted. */
export const verifyError = ({ file, intact, sections }: VerifyResult): AppError | undefined =>
  intact ? undefined : configError(alteredMessage(file, sections));
