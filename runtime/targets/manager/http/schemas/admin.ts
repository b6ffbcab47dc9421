import { Type } from 'typebox';
import { closed, oneOf } from '#serve/http/schemas.ts';
import { PHASES } from '../../supervisor/managed-server.ts';
import { serverHealth } from './health.ts';
import { dateTimeMember, optionalTextMember, struct, nextCursor } from './struct.ts';

const { $schema: _link, ...health } = serverHealth.properties;

const names = (description: string) => Type.Array(Type.String(), { description });
const count = (description: string) => Type.Integer({ minimum: 0, description });

/** A server's status for operators, in addition to its health. */
const serverState = {
  ...health,
  phase: oneOf(PHASES, {
    description:
      '`idle`: starts on the next call. `installing`: downloads its package; `reason` shows the progress. `waiting`: restarts at `nextStartAt`. `failed`: too many consecutive failures.',
  }),
  pid: Type.Optional(Type.Integer({ description: 'Process ID.' })),
  startedAt: dateTimeMember('Time of the last start.'),
  restarts: count('Number of restarts.'),
  reason: optionalTextMember('Why the server is not running, or why it last stopped.'),
  reasonLines: Type.Optional(names('Output of the server or the installer that explains the reason.')),
  nextStartAt: dateTimeMember('Time of the next restart.'),
  protocolVersion: optionalTextMember('MCP version of the server.'),
  server: optionalTextMember('Name and version reported by the server.'),
  running: count('Number of running calls.'),
  queued: count('Number of queued calls.'),
  instances: Type.Optional(
    closed(
      'Instances',
      { running: count('Number that are starting, open or ending.'), max: count('Maximum number.') },
      'The processes or connections of a server with one per user.',
    ),
  ),
};

const serverStatus = closed('ServerStatus', serverState);
/** One server's status as a response body. */
export const serverStatusBody = struct('ServerStatusBody', serverState);

/** Members about the audit log. */
export const auditState = {
  lost: count('Number of calls since the start of the manager that are missing in the audit log.'),
  problem: optionalTextMember('Why the last line could not be written.'),
};
const auditLog = closed('AuditState', auditState, 'The audit log; absent if calls are not audited.');

export const statusBody = struct('Status', {
  version: Type.String({ description: 'Version of the manager.' }),
  auditLog: Type.Optional(auditLog),
  servers: Type.Array(serverStatus, { description: 'All servers, sorted by name.' }),
});

const changes = {
  added: names('New servers.'),
  removed: names('Removed servers.'),
  restarted: names('Servers that were restarted because their command, URL or environment changed.'),
  updated: names(
    'Servers with other changes, for example to filters or limits, that did not require a restart.',
  ),
};
export const reloadBody = struct('Reload', changes);
export const reload = closed('AppliedChanges', changes, 'Changes to the running manager.');

export const logLine = closed(
  'LogLine',
  {
    at: Type.String({ format: 'date-time' }),
    source: oneOf(['server', 'manager'], {
      description: '`server`: the server’s stderr. `manager`: a message from the manager about the server.',
    }),
    text: Type.String(),
    user: optionalTextMember('The user whose process wrote the line, if each user has one.'),
  },
  'A log line.',
);
export const logsBody = struct('Logs', {
  lines: Type.Array(logLine, { description: 'The lines, oldest first.' }),
});

const milliseconds = (description: string) => Type.Optional(Type.Number({ minimum: 0, description }));

const callStatistics = closed(
  'CallStatistics',
  {
    calls: Type.Integer({ minimum: 0, description: 'Tool calls, prompt requests and resource reads.' }),
    failed: Type.Integer({
      minimum: 0,
      description: 'Calls that ended with an error, including tool errors.',
    }),
    p50Ms: milliseconds('Median duration of the latest 256 calls.'),
    p95Ms: milliseconds('95th percentile of their durations.'),
    p99Ms: milliseconds('99th percentile of their durations.'),
    lastCalledAt: dateTimeMember('Time of the latest call.'),
  },
  'Calls since the manager started.',
);

const processUsage = closed(
  'ProcessUsage',
  {
    processes: Type.Integer({
      minimum: 1,
      description: 'The server’s process and its child processes.',
    }),
    memoryBytes: Type.Integer({
      minimum: 0,
      description: 'Memory in use. Shared memory is counted once per process.',
    }),
    cpuSeconds: Type.Number({ minimum: 0, description: 'CPU time of the running processes.' }),
    processors: Type.Optional(
      Type.Number({ minimum: 0, description: 'Average number of CPUs in use over the last few seconds.' }),
    ),
  },
  'Resource usage of a server’s processes, a few seconds old.',
);

const serverRow = {
  ...serverState,
  kind: oneOf(['process', 'container', 'remote', 'unusable'], {
    description: '`unusable`: the configuration is incomplete; `reason` describes the problem.',
  }),
  start: Type.String({ description: 'The program, or the URL of a remote server, without credentials.' }),
  calls: callStatistics,
  usage: Type.Optional(processUsage),
  pinned: Type.Boolean({ description: 'Whether the server’s tools are pinned.' }),
};

const serverOverview = closed('ServerOverview', serverRow);
export const serverOverviewBody = struct('ServerOverviewBody', serverRow);

export const serverOverviews = struct('ServerOverviews', {
  servers: Type.Array(serverOverview),
  total: Type.Integer({ minimum: 0, description: 'Number of servers that match the filters.' }),
  phases: Type.Unsafe<Record<string, number>>({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Number of servers by phase, regardless of the filters.',
  }),
  nextCursor,
});
