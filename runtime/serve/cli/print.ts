import type { Output } from './command.ts';

/** Prints a result as one JSON document. */
export const printJson = ({ out }: Output, value: unknown): void =>
  out(`${JSON.stringify(value, null, 2)}\n`);

export const printLines = ({ out }: Output, lines: readonly string[]): void =>
  out(lines.map((line) => `${line}\n`).join(''));
