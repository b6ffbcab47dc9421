import type { Context } from 'hono';
import { wordOf } from '#serve/http/query.ts';
import type { AuditFilter } from '../../accounts/audit/audit-log.ts';
import { momentOf } from '../http/values.ts';
import { refuseUnknownParameters } from '../http/lists.ts';
import { ACTORS, OUTCOMES } from '../../shared/audit-words.ts';
import { FORMATS } from '../http/lists.ts';

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

/** Reads the filters of a query of the audit log. */
export function auditQuery(c: Context): { readonly filter: AuditFilter; readonly asCsv: boolean } {
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
