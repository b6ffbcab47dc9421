import { AppError } from '#contract/errors.ts';
import type { ToolCaller } from '../../access/caller.ts';
import { CALL_KINDS } from '../../calls/metrics.ts';
import { type AuditEntry, readAudit } from '../../calls/audit.ts';
import { serverName } from '../../config/server-name.ts';
import { wordOf } from '#serve/http/query.ts';
import { parseTimestamp } from '#core/time/timestamp.ts';
import type { ManagerContext } from '../../context.ts';
import type { ManagerFiles } from '../app-options.ts';
import { callerOfRequest } from '../env.ts';
import type { Route } from '#serve/http/route.ts';
import type { ManagerHttpParts } from '../parts.ts';
import { compact } from '../views/compact.ts';
import { pageOfItems, ITEM_PAGE_PARAMETERS, searchParameter } from './operations.ts';
import { Type } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { anyObject, oneOf } from '#serve/http/schemas.ts';
import { auditState } from '../schemas/admin.ts';
import { auditView } from '../views/server-view.ts';
import { nextCursor, optionalTextMember, struct } from '../schemas/struct.ts';

/** `GET /api/v1/admin/audit`: the calls in the audit log, newest first. */
export function callAuditRoutes(
  { audit }: ManagerContext,
  { auditLog: path }: ManagerFiles,
  { guards, route }: ManagerHttpParts,
): readonly Route[] {
  return [
    route({
      method: 'get',
      path: '/api/v1/admin/audit',
      guard: guards.admin('some'),
      id: 'listAuditEntries',
      tag: 'Admin',
      summary: 'List the calls in the audit log.',
      description:
        'Each request reads at most 16 MiB of the log, so a page with few or no entries can still have a `nextCursor`.',
      parameters: [
        text('server', 'Only calls to this server.', 'time'),
        text('caller', 'Only calls made with the key of this name.', 'laptop'),
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
          description: '`failed`: only calls that ended with an error, including tool errors.',
          example: 'failed',
          schema: oneOf(OUTCOMES),
        },
        text('from', 'Only calls at or after this time.', '2026-01-31T00:00:00Z'),
        text('to', 'Only calls before this time.', '2026-02-01T00:00:00Z'),
        searchParameter('Words that the entry must contain.'),
        ...ITEM_PAGE_PARAMETERS,
      ],
      answer: answerOf('One page of entries.', auditBody, {
        enabled: true,
        path: '/var/log/mcp/audit.jsonl',
        lost: 0,
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
      errors: [422],
      run: async (c) => {
        const reader = callerOfRequest(c);
        const { limit, start } = pageOfItems(c);
        const server = c.req.query('server')?.trim();
        const caller = c.req.query('caller')?.trim();
        const words = (c.req.query('q') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
        const kind = wordOf(c, 'kind', ['any', ...CALL_KINDS], 'any');
        const outcome = wordOf(c, 'outcome', ['any', ...OUTCOMES], 'any');
        const [from, to] = ['from', 'to'].map((name) => timeOf(name, c.req.query(name)));
        if (path === undefined) return { enabled: false, entries: [] };
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
        return { enabled: true, path, ...auditView(audit), entries, ...compact({ nextCursor }) };
      },
    }),
  ];
}

/**
 * Whether a caller can read an entry. A caller that is limited to some servers can only read the
 * entries about these servers.
 */
const isAllowed = ({ server }: AuditEntry, reader: ToolCaller): boolean =>
  reader.isLimited !== true || (typeof server === 'string' && reader.canUse(server));

function hasWords(entry: AuditEntry, words: readonly string[]): boolean {
  const text = JSON.stringify(entry).toLowerCase();
  return words.every((word) => text.includes(word));
}

function timeOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const time = parseTimestamp(text);
  if (time !== undefined) return time;
  const message = `${name}: ${JSON.stringify(text.slice(0, 100))} is not a valid time. Use a format such as 2027-01-31 or 2027-01-31T12:00:00Z.`;
  throw new AppError('InputError', message, { details: [{ location: `query.${name}`, message }] });
}

const OUTCOMES = ['ok', 'failed'] as const;

const auditBody = struct('AuditLog', {
  enabled: Type.Boolean({ description: 'Whether calls are audited (see `--audit-log`).' }),
  path: optionalTextMember('Path of the audit log. Rotated files are not included.'),
  lost: Type.Optional(auditState.lost),
  problem: auditState.problem,
  entries: Type.Array(anyObject('One line of the audit log.'), {
    description: 'The entries, newest first.',
  }),
  nextCursor,
});

const text = (name: string, description: string, example: string) =>
  ({ name, in: 'query', description, example }) as const;
