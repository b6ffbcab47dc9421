import { Type } from 'typebox';
import { closed, oneOf } from '#serve/http/schemas.ts';
import { serverState } from './admin.ts';
import { dateTime, nextCursor, struct } from './struct.ts';

const milliseconds = (description: string) => Type.Optional(Type.Number({ minimum: 0, description }));

const callStatistics = closed(
  'CallStatistics',
  {
    calls: Type.Integer({ minimum: 0, description: 'Calls of tools, prompts and resources.' }),
    failed: Type.Integer({
      minimum: 0,
      description: 'Calls that ended with an error, or an error of the tool.',
    }),
    p50Ms: milliseconds('Median duration of the latest 256 calls.'),
    p95Ms: milliseconds('95th percentile of their durations.'),
    p99Ms: milliseconds('99th percentile of their durations.'),
    lastCalledAt: dateTime('Time of the latest call.'),
  },
  'Calls since the start of the manager.',
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
      description: 'Memory in use. Shared memory is counted in each process.',
    }),
    cpuSeconds: Type.Number({ minimum: 0, description: 'Processor time of the running processes.' }),
    processors: Type.Optional(
      Type.Number({ minimum: 0, description: 'Processors in use on average over the last seconds.' }),
    ),
  },
  'Usage of the processes of a server, a few seconds old.',
);

const serverRow = {
  ...serverState,
  kind: oneOf(['process', 'container', 'remote', 'unusable'], {
    description: '`unusable`: the configuration is incomplete; `reason` has the problem.',
  }),
  start: Type.String({ description: 'The program, or the URL of a remote server, without credentials.' }),
  calls: callStatistics,
  usage: Type.Optional(processUsage),
  pinned: Type.Boolean({ description: 'Whether the tools of the server are pinned.' }),
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
