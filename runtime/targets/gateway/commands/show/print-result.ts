import { printJson, printLines } from '#serve/cli/print.ts';
import type { StoreContext } from '../store/store-command.ts';

/** Prints what a command did: as JSON for programs, otherwise as a sentence. */
export function printResult(
  { output, json }: Pick<StoreContext, 'output' | 'json'>,
  data: unknown,
  sentence: string,
): void {
  if (json) printJson(output, data);
  else printLines(output, [sentence]);
}
