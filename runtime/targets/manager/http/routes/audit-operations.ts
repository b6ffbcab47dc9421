import { Type } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { anyObject, oneOf } from '#serve/http/schemas.ts';
import { CALL_KINDS } from '../../calls/metrics.ts';
import { nextCursor, optionalText, struct } from '../schemas/struct.ts';
import { PAGE_PARAMETERS, searchParameter } from './paging.ts';

export const OUTCOMES = ['ok', 'failed'] as const;

const auditBody = struct('AuditLog', {
  enabled: Type.Boolean({ description: 'Whether calls are audited, see `--audit-log`.' }),
  path: optionalText('Path of the audit log. Rotated files are not read.'),
  entries: Type.Array(anyObject('One line of the audit log.'), {
    description: 'The entries, the newest first.',
  }),
  nextCursor,
});

const text = (name: string, description: string, example: string) =>
  ({ name, in: 'query', description, example }) as const;

export const AUDIT: Operation = {
  method: 'get',
  path: '/api/v1/admin/audit',
  id: 'listAuditEntries',
  tag: 'Admin',
  summary: 'List the calls in the audit log.',
  description:
    'A request reads at most 16 MiB of the log, so a page can have few entries, or none, and still a `nextCursor`.',
  parameters: [
    text('server', 'Only calls of this server.', 'time'),
    text('caller', 'Only calls with the key of this name.', 'laptop'),
    {
      name: 'kind',
      in: 'query',
      description: 'Only calls of this kind.',
      example: 'tool',
      schema: oneOf(CALL_KINDS),
    },
    {
      name: 'outcome',
      in: 'query',
      description: '`failed`: only calls that ended with an error, or an error of the tool.',
      example: 'failed',
      schema: oneOf(OUTCOMES),
    },
    text('from', 'Only calls at or after this time.', '2026-01-31T00:00:00Z'),
    text('to', 'Only calls before this time.', '2026-02-01T00:00:00Z'),
    searchParameter('Words that the entry must contain.'),
    ...PAGE_PARAMETERS,
  ],
  answer: answerOf('A page of the entries.', auditBody, {
    enabled: true,
    path: '/var/log/mcp/audit.jsonl',
    entries: [
      {
        at: '2026-01-31T12:00:00.000Z',
        requestId: '8f14e45f-ceea-4672-a5f3-1c0e5e0a4d1b',
        caller: 'laptop',
        server: 'time',
        kind: 'tool',
        name: 'get_current_time',
        outcome: 'ok',
        ms: 3.2,
        args: 'sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
        resultCharacters: 96,
      },
    ],
  }),
  errors: [403, 422],
};
