/** How long work tells what it is doing; commands decide how that looks. */
export interface Reporter {
  /** A step begins; `done` ends it with what came out of it. */
  readonly step: (label: string) => Step;
  /** Something the user should know although the work goes on. */
  readonly warn: (message: string) => void;
  /** A line that a script of the user printed. */
  readonly print: (line: string) => void;
}

export interface Step {
  readonly progress: (doneBytes: number, totalBytes: number) => void;
  readonly done: (detail?: string) => void;
}

export const silentReporter: Reporter = {
  step: () => ({ progress: () => {}, done: () => {} }),
  warn: () => {},
  print: () => {},
};
