import { AppError } from '#contract/errors.ts';

/** A problem in a file; the message explains how to solve it. */
export interface Problem {
  readonly file: string;
  readonly line: number | undefined;
  readonly message: string;
}

/** Path of a value in a file: keys, and list indexes. */
export type ProblemPath = readonly (string | number)[];

/** Reports a problem with the value at a path. */
export type Report = (path: ProblemPath, message: string) => void;

/** Combines all problems into one error, so that they can be solved together. */
export function problemsError(problems: readonly Problem[]): AppError {
  const byFile = [...Map.groupBy(problems, ({ file }) => file).values()];
  const inOrder = byFile.flatMap((some) => some.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)));
  const lines = [...new Set(inOrder.map((problem) => describeProblem(problem)))];
  const message =
    lines.length === 1
      ? lines.join('')
      : `The configuration has ${lines.length} problems.\n${lines.map((line) => `  ${line}`).join('\n')}`;
  return new AppError('ConfigError', message, { details: lines.map((line) => ({ message: line })) });
}

export function describeProblem({ file, line, message }: Problem): string {
  return `${file}${line === undefined ? '' : `:${line}`}: ${message}`;
}
