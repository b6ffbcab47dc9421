import { UsageError } from './command.ts';

/** `NAME=value`, taken apart; the value may be empty and hold any text. `source` is the option, for the message. */
export function nameAndValue(text: string, source?: string): readonly [name: string, value: string] {
  const [, name, value] = /^\s*([^=\s][^=]*?)\s*=([^]*)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  const where = source === undefined ? '' : `${source}: `;
  throw new UsageError(`${where}${JSON.stringify(text)} must have the form <name>=<value>.`);
}
