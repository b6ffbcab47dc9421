import type { Operation } from '#serve/http/openapi/operation.ts';

/** Returns the operations of the same routes below `/groups/{group}`. */
export const groupOperations = (operations: readonly Operation[]): readonly Operation[] =>
  operations.map((operation) => ({
    ...operation,
    path: `/groups/{group}${operation.path}`,
    id: `${operation.id}OfGroup`,
    tag: 'Groups',
    summary: `${operation.summary.replace(/\.$/, '')}, limited to a group.`,
    parameters: [GROUP, ...(operation.parameters ?? [])],
    errors: [...new Set([403, 404, ...operation.errors] as const)],
  }));

const GROUP = {
  name: 'group',
  description: 'Name of the group in the configuration (case-insensitive).',
  example: 'research',
} as const;
