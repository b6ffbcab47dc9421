import { Type } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { oneOf } from '#serve/http/schemas.ts';
import { requiresRole, STORE_ERRORS } from '../http/operations.ts';
import { PAGE_PARAMETERS } from '../http/lists.ts';
import { FORMATS } from '../http/lists.ts';
import { ACTORS, OUTCOMES } from '../../shared/audit-words.ts';
import { auditPage } from './schemas.ts';

const EVENT = {
  id: '019cab3c-5200-7000-8f4e-5a1d0c2b7e91',
  at: '2026-03-01T12:00:00Z',
  actor: 'master',
  actor_id: null,
  actor_user: null,
  address: '127.0.0.1',
  forwarded_for: null,
  request_id: '6a1d1f4e-2b2c-4e38-9f25-6f6c4a2d3e11',
  action: 'key.update',
  object: '0f4c2c1e-8c1f-4a51-9e62-0b6ad1d0c9b7',
  outcome: 'success',
  reason: null,
  before: { is_active: true },
  after: { is_active: false },
  count: 1,
};

const text = (name: string, description: string, example: string) =>
  ({ name, in: 'query', description, example }) as const;

export const AUDIT_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/v1/admin/audit',
    id: 'listAuditEvents',
    tag: 'Admin',
    summary: 'List administrative changes and refused attempts, newest first.',
    description: requiresRole('viewer', 'Filters are combined with AND. No route changes an event.'),
    parameters: [
      { ...text('actor', 'Only events of this kind of actor.', 'any'), schema: oneOf(['any', ...ACTORS]) },
      text('actor_id', 'Only events of this key id or user of the operating system.', 'root'),
      text('action', 'Only this action, or all of a kind of object, e.g. `key`.', 'key.update'),
      text('object', 'Only events of this object.', EVENT.object),
      { ...text('outcome', 'Only events with this outcome.', 'any'), schema: oneOf(['any', ...OUTCOMES]) },
      text('address', 'Only events from this address.', EVENT.address),
      text('request_id', 'Only events of this request.', EVENT.request_id),
      text('from', 'Start time, inclusive.', '2026-01-01T00:00:00Z'),
      text('to', 'End time, exclusive.', '2026-02-01'),
      {
        ...text('format', '`csv` returns all matching events, oldest first.', 'json'),
        schema: oneOf(FORMATS, { default: 'json' }),
      },
      ...PAGE_PARAMETERS,
    ],
    answer: answerOf('A page of the events.', auditPage, { total: 1, items: [EVENT] }),
    otherAnswers: [
      {
        mediaType: 'text/csv',
        schema: Type.String(),
        examples: { rows: `${Object.keys(EVENT).join(',')}\r\n` },
      },
    ],
    errors: [422, ...STORE_ERRORS],
  },
];
