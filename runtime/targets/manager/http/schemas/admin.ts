import { Type } from 'typebox';
import { closed, oneOf } from '#serve/http/schemas.ts';
import { PHASES } from '../../supervisor/managed-server.ts';
import { serverHealth } from './health.ts';
import { dateTime, optionalText, struct } from './struct.ts';

const { $schema: _link, ...health } = serverHealth.properties;

const names = (description: string) => Type.Array(Type.String(), { description });
const count = (description: string) => Type.Integer({ minimum: 0, description });

/** The status of a server for operators, in addition to its health. */
export const serverState = {
  ...health,
  phase: oneOf(PHASES, {
    description:
      '`idle`: starts on the next call. `installing`: downloads its package; `reason` shows the progress. `waiting`: restarts at `nextStartAt`. `failed`: too many consecutive failures.',
  }),
  pid: Type.Optional(Type.Integer({ description: 'Process ID.' })),
  startedAt: dateTime('Time of the last start.'),
  restarts: count('Number of restarts.'),
  reason: optionalText('Reason why the server is not running, or why it stopped the last time.'),
  reasonLines: Type.Optional(names('Lines that the server, or its installation, wrote about the reason.')),
  nextStartAt: dateTime('Time of the next restart.'),
  protocolVersion: optionalText('MCP version of the server.'),
  server: optionalText('Name and version that the server reports.'),
  running: count('Number of running calls.'),
  queued: count('Number of queued calls.'),
};

const serverStatus = closed('ServerStatus', serverState);
/** The status of one server as a response body. */
export const serverStatusBody = struct('ServerStatusBody', serverState);

export const statusBody = struct('Status', {
  version: Type.String({ description: 'Version of the manager.' }),
  servers: Type.Array(serverStatus, { description: 'All servers, sorted by name.' }),
});

const changes = {
  added: names('New servers.'),
  removed: names('Removed servers.'),
  restarted: names('Servers that were restarted because their command, URL or environment changed.'),
  updated: names('Servers with other changes, for example of filters or limits, which required no restart.'),
};
export const reloadBody = struct('Reload', changes);
export const reload = closed('AppliedChanges', changes, 'Changes of the running manager.');

export const logLine = closed(
  'LogLine',
  {
    at: Type.String({ format: 'date-time' }),
    source: oneOf(['server', 'manager'], {
      description:
        '`server`: the stderr of the server. `manager`: a message of the manager about the server.',
    }),
    text: Type.String(),
  },
  'A line of a log.',
);
export const logsBody = struct('Logs', {
  lines: Type.Array(logLine, { description: 'The lines, oldest first.' }),
});
