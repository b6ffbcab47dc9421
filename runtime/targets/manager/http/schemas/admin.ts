import { Type } from 'typebox';
import { closed, oneOf } from '../../../../serve/http/schemas.ts';
import { serverHealth } from './health.ts';
import { dateTime, optionalText, struct } from './struct.ts';

const { $schema: _link, ...health } = serverHealth.properties;

const count = (description: string) => Type.Integer({ minimum: 0, description });

/** What people who run the manager want to know of a server, beside its health. */
const serverState = {
  ...health,
  phase: oneOf(['idle', 'starting', 'running', 'waiting', 'failed', 'stopping'], {
    description:
      '`idle`: starts when it is needed. `waiting`: will be started again at `nextStartAt`. `failed`: did not start too often in a row.',
  }),
  pid: Type.Optional(Type.Integer({ description: 'The process id.' })),
  startedAt: dateTime('When it was started.'),
  restarts: count('How often it was started again.'),
  reason: optionalText('Why it is not running, or why it last ended.'),
  nextStartAt: dateTime('When it will be started again.'),
  protocolVersion: optionalText('The version of MCP it speaks.'),
  server: optionalText('What the server calls itself.'),
  running: count('Calls it is working on.'),
  queued: count('Calls that wait for their turn.'),
};

const serverStatus = closed('ServerStatus', serverState);
/** The same as a body of its own. */
export const serverStatusBody = struct('ServerStatusBody', serverState);

export const statusBody = struct('Status', {
  version: Type.String({ description: 'The version of the manager.' }),
  servers: Type.Array(serverStatus, { description: 'By name.' }),
});

const names = (description: string) => Type.Array(Type.String(), { description });
export const reloadBody = struct('Reload', {
  added: names('Servers that are new.'),
  removed: names('Servers that are gone.'),
  restarted: names('Servers that were started anew, because how they are started has changed.'),
  updated: names(
    'Servers of which only what is offered, or how much, has changed; they were not started anew.',
  ),
});

export const logLine = closed(
  'LogLine',
  {
    at: Type.String({ format: 'date-time' }),
    source: oneOf(['server', 'manager'], {
      description: 'Who wrote it: the server to its stderr, or the manager about it.',
    }),
    text: Type.String(),
  },
  'A line of a log.',
);
export const logsBody = struct('Logs', { lines: Type.Array(logLine, { description: 'The oldest first.' }) });
