import { Type } from 'typebox';
import { anyObject, closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { count, time } from '../http/fields.ts';
import { ACTORS, OUTCOMES } from '../../shared/audit-words.ts';

const textOrNull = (description: string) => orNull(Type.String({ description }));

const auditEvent = closed('AuditEvent', {
  id: Type.String(),
  at: time('Time of the event.'),
  actor: oneOf(ACTORS, {
    description:
      'Who acted: the master key, an API key, anyone without a credential, a user of the command line, or the gateway itself.',
  }),
  actor_id: textOrNull(
    'Id of the key, prefix of a refused key, or name of the user of the operating system.',
  ),
  actor_user: textOrNull('User of the key.'),
  address: textOrNull('Address of the connection.'),
  forwarded_for: textOrNull('`X-Forwarded-For` of the request. Clients can set it to anything.'),
  request_id: textOrNull('`X-Request-Id` of the request.'),
  action: Type.String({ description: 'Kind of object and what happened to it, e.g. `key.update`.' }),
  object: textOrNull('Id or name of the object; of a refused attempt, the method and the path.'),
  outcome: oneOf(OUTCOMES),
  reason: textOrNull('Why it was refused or failed.'),
  before: orNull(anyObject('Members before the change: those that differ, or all of a deleted object.')),
  after: orNull(anyObject('Members after the change: those that differ, or all of a new object.')),
  count: count('Number of attempts; more than 1 only for refused ones that are recorded together.'),
});

export const auditPage = closed('AuditPage', {
  total: count('Number of matching events.'),
  items: Type.Array(auditEvent),
});
