import { type Invocation, UsageError } from './command.ts';
import { commonOptions } from './common-options.ts';

export const JSON_OPTION = commonOptions({ json: {} });

/** The output format of a command with --json and --format; --json is short for --format json. */
export function formatOf(invocation: Invocation): string {
  const format = invocation.value('format') ?? 'text';
  if (!invocation.flag('json')) return format;
  if (invocation.given('format') && format !== 'json')
    throw new UsageError(`--json conflicts with --format ${format}; use one of them.`);
  return 'json';
}

export const isJson = (invocation: Invocation): boolean => invocation.flag('json');
