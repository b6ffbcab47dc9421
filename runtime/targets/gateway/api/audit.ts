import type { Context } from 'hono';
import { Type } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { wordOf } from '#serve/http/query.ts';
import type { Route } from '#serve/http/route.ts';
import { anyObject, closed, oneOf, orNull } from '#serve/http/schemas.ts';
import type { AuditFilter } from '../accounts/audit/audit-log.ts';
import type { GatewayContext } from '../context.ts';
import { ACTORS, OUTCOMES } from '../shared/record-words.ts';
import { csvAnswer } from './http/answers.ts';
import { count, time } from './http/fields.ts';
import { refuseUnknownParameters, FORMATS, PAGE_PARAMETERS, pageOf } from './http/lists.ts';
import type { HttpParts } from './http/parts.ts';
import { momentOf } from './http/values.ts';
import { auditEventView } from './views/records.ts';

const textOrNull = (description: string) => orNull(Type.String({ description }));

const auditEvent = closed('AuditEvent', {
  id: Type.String(),
  at: time('Time of the event.'),
  actor: oneOf(ACTORS, {
    description:
      'Actor: the master key, an API key, a caller without credentials, a command-line user, or the gateway itself.',
  }),
  actor_id: textOrNull('Key ID, prefix of a rejected key, or operating system user name.'),
  actor_user: textOrNull('User of the key.'),
  address: textOrNull('Client address of the connection.'),
  forwarded_for: textOrNull('`X-Forwarded-For` of the request. Clients can set it to any value.'),
  request_id: textOrNull('`X-Request-Id` of the request.'),
  action: Type.String({ description: 'Kind of object and action, e.g. `key.update`.' }),
  object: textOrNull('ID or name of the object; for a rejected attempt, its method and path.'),
  outcome: oneOf(OUTCOMES),
  reason: textOrNull('Reason for the rejection or failure.'),
  before: orNull(
    anyObject('Members before the change: only those that differ; for a deleted object, all of them.'),
  ),
  after: orNull(
    anyObject('Members after the change: only those that differ; for a new object, all of them.'),
  ),
  count: count('Number of attempts; more than 1 only for rejected attempts that are recorded together.'),
});

const auditPage = closed('AuditPage', {
  total: count('Number of matching events.'),
  items: Type.Array(auditEvent),
});

const PARAMETERS = [
  'actor',
  'actor_id',
  'action',
  'object',
  'outcome',
  'address',
  'request_id',
  'from',
  'to',
  'format',
  'skip',
  'limit',
];

/** Parses the filters of an audit log query. */
function auditQuery(c: Context): { readonly filter: AuditFilter; readonly asCsv: boolean } {
  refuseUnknownParameters(c, PARAMETERS);
  const value = (name: string): string | undefined => c.req.query(name) || undefined;
  const actor = wordOf(c, 'actor', ['any', ...ACTORS], 'any');
  const outcome = wordOf(c, 'outcome', ['any', ...OUTCOMES], 'any');
  return {
    filter: {
      actor: actor === 'any' ? undefined : actor,
      actorId: value('actor_id'),
      action: value('action'),
      object: value('object'),
      outcome: outcome === 'any' ? undefined : outcome,
      address: value('address'),
      requestId: value('request_id'),
      from: momentOf(c, 'from'),
      to: momentOf(c, 'to'),
    },
    asCsv: wordOf(c, 'format', FORMATS, 'json') === 'csv',
  };
}

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

/** `/v1/admin/audit`: the log of administrative changes and rejected attempts. */
export function auditRoutes({ state }: GatewayContext, { guards, route }: HttpParts): readonly Route[] {
  const { auditLog } = state;

  return [
    route({
      method: 'get',
      path: '/v1/admin/audit',
      guard: guards.reader,
      id: 'listAuditEvents',
      tag: 'Admin',
      summary: 'List administrative changes and rejected attempts, newest first.',
      description: 'Filters are combined with AND. Events cannot be changed.',
      parameters: [
        { ...text('actor', 'Only events by this kind of actor.', 'any'), schema: oneOf(['any', ...ACTORS]) },
        text('actor_id', 'Only events by this key ID or operating system user.', 'root'),
        text('action', 'Only this action, or all actions on a kind of object, e.g. `key`.', 'key.update'),
        text('object', 'Only events for this object.', EVENT.object),
        { ...text('outcome', 'Only events with this outcome.', 'any'), schema: oneOf(['any', ...OUTCOMES]) },
        text('address', 'Only events from this address.', EVENT.address),
        text('request_id', 'Only events for this request.', EVENT.request_id),
        text('from', 'Start time, inclusive.', '2026-01-01T00:00:00Z'),
        text('to', 'End time, exclusive.', '2026-02-01'),
        {
          ...text('format', '`csv` returns all matching events, oldest first.', 'json'),
          schema: oneOf(FORMATS, { default: 'json' }),
        },
        ...PAGE_PARAMETERS,
      ],
      answer: answerOf('A page of events.', auditPage, { total: 1, items: [EVENT] }),
      otherAnswers: [
        {
          mediaType: 'text/csv',
          schema: Type.String(),
          examples: { rows: `${Object.keys(EVENT).join(',')}\r\n` },
        },
      ],
      run: async (c) => {
        const { filter, asCsv } = auditQuery(c);
        if (asCsv) return csvAnswer(c, auditLog.csv(filter), 'audit.csv');
        const { total, events } = await auditLog.list(filter, pageOf(c));
        return { total, items: events.map(auditEventView) };
      },
    }),
  ];
}
