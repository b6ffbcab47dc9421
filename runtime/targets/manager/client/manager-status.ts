import { lookup } from '#core/values/lookup.ts';
import { formatTable, type TableCell } from '#serve/cli/table.ts';
import type { Terminal } from '#serve/cli/terminal.ts';

/** The response of `/api/v1/admin/status`. */
export interface ManagerStatus {
  readonly version: string;
  readonly auditLog?: { readonly lost: number; readonly problem?: string };
  readonly servers: readonly ServerState[];
}

export interface ServerState {
  readonly name: string;
  readonly status: string;
  readonly phase: string;
  readonly latency?: string;
  readonly pid?: number;
  readonly startedAt?: string;
  readonly restarts: number;
  readonly reason?: string;
  readonly reasonLines?: readonly string[];
  readonly warnings?: readonly string[];
  readonly listsReadAt?: string;
  readonly changedTools?: readonly ChangedTool[];
  readonly changedItems?: readonly ChangedItem[];
  readonly findings?: readonly ServerFinding[];
  readonly nextStartAt?: string;
  readonly running: number;
  readonly queued: number;
}

/** A possible injection in a definition of a server. */
interface ServerFinding {
  readonly kind: string;
  readonly name: string;
  readonly rule: string;
  readonly outcome: string;
}

interface ChangedTool {
  readonly tool: string;
  readonly change: string;
}

/** A prompt, resource or resource template that differs from its pin. */
interface ChangedItem {
  readonly kind: string;
  readonly name: string;
  readonly change: string;
}

const HEAD = ['SERVER', 'STATUS', 'PHASE', 'LATENCY', 'UP', 'RESTARTS', 'CALLS', 'PID', 'REASON'];

/** Formats a table with one line per server; `now` is in milliseconds since 1970. */
export function statusLines(status: ManagerStatus, terminal: Terminal, now: number): string[] {
  const { servers } = status;
  const audit = auditProblems(status).map((problem) => `Audit log: ${problem}`);
  if (servers.length === 0) return [...audit, 'No servers are configured; add one with `mcp-manager add`.'];
  const table = formatTable(
    HEAD,
    servers.map((server) => row(server, now)),
    terminal,
  );
  return [...audit, ...table];
}

/** Describes the problems of the audit log; empty if it contains all calls. */
export const auditProblems = ({ auditLog }: ManagerStatus): string[] =>
  auditLog === undefined
    ? []
    : [
        ...(auditLog.lost > 0 ? [`missing calls: ${auditLog.lost}`] : []),
        ...(auditLog.problem === undefined ? [] : [`cannot be written: ${auditLog.problem}`]),
      ];

const row = (server: ServerState, now: number): TableCell[] => {
  const { name, status, phase, latency = '-', startedAt, restarts, running, queued, pid } = server;
  return [
    { text: name },
    { text: status, style: STATUS_STYLES[status] },
    { text: phase, style: PHASE_STYLES[phase] },
    { text: latency },
    { text: startedAt === undefined ? '-' : span(now - Date.parse(startedAt)) },
    { text: String(restarts) },
    { text: queued > 0 ? `${running} (+${queued})` : String(running) },
    { text: pid === undefined ? '-' : String(pid) },
    { text: reasonOf(server, now), style: 'dim' },
  ];
};

const STATUS_STYLES = lookup<TableCell['style']>({
  ok: 'green',
  timeout: 'yellow',
  unreachable: 'red',
});
const PHASE_STYLES = lookup<TableCell['style']>({
  failed: 'red',
  waiting: 'yellow',
  installing: 'yellow',
});

/** Explains the state of a server; empty for a healthy one. */
function reasonOf(
  { phase, status, reason = '', nextStartAt, listsReadAt, changedTools, changedItems }: ServerState,
  now: number,
): string {
  if (phase === 'running' && status === 'ok') return changesText({ changedTools, changedItems });
  if (phase === 'idle') {
    const parts = [reason, listAge(listsReadAt, now), changesText({ changedTools, changedItems })];
    return parts.filter((part) => part !== '').join('; ');
  }
  if (nextStartAt === undefined) return reason;
  return `restart in ${span(Math.max(0, Date.parse(nextStartAt) - now))}: ${reason}`;
}

/** Describes the age of the lists that clients get while a server is stopped; empty if there are none. */
export const listAge = (listsReadAt: string | undefined, now: number): string =>
  listsReadAt === undefined ? '' : `lists are ${span(Math.max(0, now - Date.parse(listsReadAt)))} old`;

/** Describes the items that differ from their pins; empty if no items differ. */
export function changesText({
  changedTools = [],
  changedItems = [],
}: {
  readonly changedTools?: readonly ChangedTool[] | undefined;
  readonly changedItems?: readonly ChangedItem[] | undefined;
}): string {
  const tools = changedTools.map(({ tool, change }) => `${tool} (${change})`).join(', ');
  const items = changedItems.map(({ kind, name, change }) => `${kind} ${name} (${change})`).join(', ');
  return [
    ...(tools === '' ? [] : [`tools differ from their pins: ${tools}`]),
    ...(items === '' ? [] : [`other items differ from their pins: ${items}`]),
  ].join('; ');
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
] as const;

/** Formats a duration, e.g. `12s` or `3h 20m`. @internal Exported for tests only. */
export function span(milliseconds: number): string {
  const at = UNITS.findIndex(([, length]) => milliseconds >= length);
  const [unit, length] = UNITS[at] ?? [];
  if (unit === undefined || length === undefined) return `${Math.max(0, Math.floor(milliseconds / 1000))}s`;
  const [smaller, rest] = UNITS[at + 1] ?? ['s', 1000];
  return `${Math.floor(milliseconds / length)}${unit} ${Math.floor((milliseconds % length) / rest)}${smaller}`;
}
