import { UsageError } from './command.ts';

/** `NAME=value`, taken apart; the value may be empty and hold any text. */
export function nameAndValue(text: string): readonly [name: string, value: string] {
  const [, name, value] = /^\s*([^=\s][^=]*?)\s*=([^]*)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw new UsageError(`${JSON.stringify(text)} is not of the form <name>=<value>.`);
}
