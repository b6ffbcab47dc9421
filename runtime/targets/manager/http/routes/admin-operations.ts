import type { Operation } from '#serve/http/openapi/operation.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { reloadBody, serverStatusBody, statusBody } from '../schemas/admin.ts';
import { serverName } from './operations.ts';

export const TIME = {
  name: 'time',
  status: 'ok',
  lastChecked: '2026-01-31T12:00:00.123456Z',
  lastSuccessful: '2026-01-31T12:00:00.123456Z',
  latency: '1.234567ms',
  phase: 'running',
  pid: 4242,
  startedAt: '2026-01-31T11:00:00Z',
  restarts: 0,
  protocolVersion: '2025-11-25',
  server: 'time 1.0.6',
  running: 0,
  queued: 0,
};

export const STATUS: Operation = {
  method: 'get',
  path: '/api/v1/admin/status',
  id: 'getStatus',
  tag: 'Admin',
  summary: 'Get the status of all servers.',
  answer: answerOf('The status of all servers, sorted by name.', statusBody, {
    version: '0.1.0',
    servers: [TIME],
  }),
  errors: [403],
};

export const RELOAD: Operation = {
  method: 'post',
  path: '/api/v1/admin/reload',
  id: 'reload',
  tag: 'Admin',
  summary: 'Reload the configuration.',
  description:
    'Applies the new configuration completely or, if it has an error, not at all. Unchanged servers keep running, and no call is interrupted.',
  answer: answerOf('The changes.', reloadBody, {
    added: ['memory'],
    removed: [],
    restarted: ['time'],
    updated: [],
  }),
  errors: [403, 422, 502],
};

export const RESTART: Operation = {
  method: 'post',
  path: '/api/v1/admin/servers/{name}/restart',
  id: 'restartServer',
  tag: 'Admin',
  summary: 'Restart a server.',
  parameters: [serverName],
  answer: answerOf('The status of the server after the restart.', serverStatusBody, TIME),
  errors: [403, 404, 502, 503],
};
