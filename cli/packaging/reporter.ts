import type { OnStep } from '#core/time/time-step.ts';
import type { BuildStep } from './build-steps.ts';

/** Receives progress reports from long operations. Commands decide how to display them. */
export interface Reporter {
  /** Starts a step; `done` ends it with a short result. */
  readonly step: (label: string) => ReportedStep;
  /** Reports a problem that does not abort the operation. */
  readonly warn: (message: string) => void;
  /** Prints a line, for example output of the user's script or a choice that the build made. */
  readonly print: (line: string) => void;
  /** Receives the time of each step of a build, for `--timing`. */
  readonly onStep?: OnStep<BuildStep> | undefined;
}

/** What progress counts: bytes, runs of a model on a text or an image, or tokens of a vocabulary. */
export type ProgressUnit = 'bytes' | 'runs' | 'tokens';

export interface ReportedStep {
  readonly progress: (done: number, total: number, unit?: ProgressUnit) => void;
  readonly done: (detail?: string) => void;
}

export const silentReporter: Reporter = {
  step: () => ({ progress: () => {}, done: () => {} }),
  warn: () => {},
  print: () => {},
};
