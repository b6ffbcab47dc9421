import { stripVTControlCharacters } from 'node:util';
import type { Output } from './command.ts';

/** Removes control characters except line breaks, so that text of others cannot hide or change what a terminal shows. */
export const printable = (text: string): string =>
  stripVTControlCharacters(text).replaceAll(/[^\P{Cc}\n\t]/gu, '');

/** An output whose messages contain text of others, for example of a registry. */
export const printableMessages = (output: Output): Output => ({
  ...output,
  err: (text) => output.err(printable(text)),
});
