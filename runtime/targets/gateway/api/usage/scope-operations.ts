import type { Operation } from '#serve/http/openapi/operation.ts';

type Parameter = NonNullable<Operation['parameters']>[number];

export const parameter = (name: string, description: string, example: string): Parameter => ({
  name,
  in: 'query',
  description,
  example,
});

/** Parameters that select whose usage is returned. They exclude each other. */
export const SCOPE_OPERATION_PARAMETERS: readonly Parameter[] = [
  parameter('user_id', 'Only requests of this user.', 'ada'),
  parameter('api_key_id', 'Only requests with this key.', '0f4c2c1e-8c1f-4a51-9e62-0b6ad1d0c9b7'),
  parameter('team_id', 'Only requests of this team.', 'research'),
];

export const ORGANIZATION_PARAMETER = parameter(
  'organization_id',
  'Only requests of this organization.',
  'acme',
);

export const TIME_PARAMETERS: readonly Parameter[] = [
  parameter('from', 'Start time, inclusive.', '2026-01-01T00:00:00Z'),
  parameter('to', 'End time, exclusive.', '2026-02-01'),
];

/** Whose usage is returned. */
export const SCOPE_RULE =
  'The master key and the roles admin and viewer return the usage of all, an API key that calls models only its own. A member sees the own usage, that of visible keys, and that of teams with the role admin.';
