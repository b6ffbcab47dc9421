import { styleText, stripVTControlCharacters } from 'node:util';
import { withoutControls } from '#core/text/without-controls.ts';
import type { Output } from './command.ts';

/** Properties of the terminal on which a table is printed. */
export interface Terminal {
  /** Width in characters. Infinite if the width is not limited, for example in a file. */
  readonly width: number;
  /** Whether printed lines can be overwritten. */
  readonly live: boolean;
  readonly style: (style: 'green' | 'yellow' | 'red' | 'dim', text: string) => string;
}

/** Properties of stdout. Colors are disabled if stdout is not a terminal or NO_COLOR is set. */
export function stdoutTerminal(): Terminal {
  const { stdout } = process;
  return {
    width: stdout.isTTY ? stdout.columns || 80 : Infinity,
    live: stdout.isTTY,
    style: (style, text) => styleText(style, text, { stream: stdout }),
  };
}

/** Prints a result as one JSON document. */
export const printJson = ({ out }: Output, value: unknown): void =>
  out(`${JSON.stringify(value, null, 2).replaceAll(HIGH_CONTROLS, escaped)}\n`);

/** Control characters that JSON does not escape, although some terminals obey them. */
const HIGH_CONTROLS = /[\u007F-\u009F]/g;
const escaped = (control: string): string => `\\u00${control.charCodeAt(0).toString(16)}`;

export const printLines = ({ out }: Output, lines: readonly string[]): void =>
  out(lines.map((line) => `${line}\n`).join(''));

/**
 * Removes control characters except line breaks, so that untrusted text cannot hide or change the
 * text on a terminal.
 */
export const printable = (text: string): string => withoutControls(stripVTControlCharacters(text));

/**
 * Prints a text of others, such as a model's response or the result of a tool: unchanged for a program or a file, and
 * without control characters on a terminal, which they could control.
 */
export const printText = (
  { out }: Output,
  text: string,
  { live }: Pick<Terminal, 'live'> = stdoutTerminal(),
): void => out(live ? printable(text) : text);

/** Wraps an output whose messages contain untrusted text, for example from a registry. */
export const printableMessages = (output: Output): Output => ({
  ...output,
  err: (text) => output.err(printable(text)),
});
