import { UsageError } from './command.ts';

/** Splits `NAME=value`; the value can be empty and can contain any text. `source` is the option, for the message. */
export function nameAndValue(text: string, source?: string): readonly [name: string, value: string] {
  const [, name, value] = /^\s*([^=\s][^=]*?)\s*=([^]*)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  const where = source === undefined ? '' : `${source}: `;
  throw new UsageError(`${where}${JSON.stringify(text)} must have the form <name>=<value>.`);
}
