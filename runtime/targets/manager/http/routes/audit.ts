import { AppError } from '#contract/errors.ts';
import type { Caller } from '../../access/caller.ts';
import { CALL_KINDS } from '../../calls/metrics.ts';
import { type AuditEntry, readAudit } from '../../calls/read-audit.ts';
import { serverName } from '../../config/server-name.ts';
import { wordOf } from '#serve/http/query.ts';
import { parseTimestamp } from '#core/time/timestamp.ts';
import type { ManagerFiles } from '../app-options.ts';
import { requireAdmin } from '../env.ts';
import { type HttpParts, type ManagerRoutes, newRoutes } from '../parts.ts';
import { compact } from '../views/compact.ts';
import { AUDIT, OUTCOMES } from './audit-operations.ts';
import { pageOf } from './paging.ts';

/** `GET /api/v1/admin/audit`: the calls in the audit log, the newest first. */
export function auditRoutes({ auditLog: path }: ManagerFiles, { answer }: HttpParts): ManagerRoutes {
  const routes = newRoutes();
  routes.get('/api/v1/admin/audit', async (c) => {
    const reader = requireAdmin(c, 'some');
    const { limit, start } = pageOf(c);
    const server = c.req.query('server')?.trim();
    const caller = c.req.query('caller')?.trim();
    const words = (c.req.query('q') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const kind = wordOf(c, 'kind', ['any', ...CALL_KINDS], 'any');
    const outcome = wordOf(c, 'outcome', ['any', ...OUTCOMES], 'any');
    const [from, to] = ['from', 'to'].map((name) => timeOf(name, c.req.query(name)));
    if (path === undefined) return answer(c, 'AuditLog', { enabled: false, entries: [] });
    const matches = (entry: AuditEntry): boolean => {
      const at = Date.parse(String(entry['at']));
      return (
        isAllowed(entry, reader) &&
        (!server || entry['server'] === serverName(server)) &&
        (!caller || entry['caller'] === caller) &&
        (kind === 'any' || entry['kind'] === kind) &&
        (outcome === 'any' || (entry['outcome'] === 'ok') === (outcome === 'ok')) &&
        (from === undefined || at >= from) &&
        (to === undefined || at < to) &&
        (words.length === 0 || hasWords(entry, words))
      );
    };
    const { entries, next } = await readAudit(path, { limit, before: start || undefined, matches });
    const nextCursor = next === undefined ? undefined : String(next);
    return answer(c, 'AuditLog', { enabled: true, path, entries, ...compact({ nextCursor }) });
  });
  return { routes, operations: [AUDIT] };
}

/** Whether a caller can read an entry: of one of its servers, or of any if it has no limits. */
const isAllowed = ({ server }: AuditEntry, reader: Caller): boolean =>
  reader.isLimited !== true || (typeof server === 'string' && reader.canUse(server));

function hasWords(entry: AuditEntry, words: readonly string[]): boolean {
  const text = JSON.stringify(entry).toLowerCase();
  return words.every((word) => text.includes(word));
}

function timeOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const time = parseTimestamp(text);
  if (time !== undefined) return time;
  const message = `${name}: ${JSON.stringify(text.slice(0, 100))} is not a time, e.g. 2027-01-31 or 2027-01-31T12:00:00Z.`;
  throw new AppError('InputError', message, { details: [{ location: `query.${name}`, message }] });
}
