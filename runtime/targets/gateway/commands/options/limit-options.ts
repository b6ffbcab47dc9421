import type { Invocation, Option } from '#serve/cli/command.ts';
import type { RateLimits } from '../../accounts/identity/identity.ts';
import { clearableValue } from './option-value.ts';

/** Rate limits of users and keys. */
export const LIMIT_OPTIONS = {
  rpm: { value: 'n', help: 'Requests per minute; none for no limit' },
  tpm: { value: 'n', help: 'Tokens per minute; none for no limit' },
  'max-parallel': { value: 'n', help: 'Concurrent requests; none for no limit' },
} satisfies Readonly<Record<string, Option>>;

export const limitsOf = (
  invocation: Invocation,
): { [Name in keyof RateLimits]: number | null | undefined } => ({
  rpm: count(invocation, 'rpm'),
  tpm: count(invocation, 'tpm'),
  maxParallel: count(invocation, 'max-parallel'),
});

const count = (invocation: Invocation, name: string): number | null | undefined =>
  clearableValue(invocation, name, {
    rule: 'a whole number from 1 to 999999999999999',
    parse: (text) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined),
  });
