import { UsageError } from './command.ts';

/** Splits `NAME=value`; the value can be empty and can contain any text. `source` is the option, for the message. */
export function nameAndValue(text: string, source?: string): readonly [name: string, value: string] {
  const end = text.indexOf('=');
  const name = text.slice(0, Math.max(0, end)).trim();
  if (name !== '') return [name, text.slice(end + 1)];
  const where = source === undefined ? '' : `${source}: `;
  throw new UsageError(`${where}${JSON.stringify(text)} must have the form <name>=<value>.`);
}
