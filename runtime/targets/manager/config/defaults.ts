/** Defaults for settings that are not set by a flag or in the file. Times are in milliseconds. */
export const MANAGER_DEFAULTS = {
  addr: '127.0.0.1:8090',
  apiShutdown: 5000,
  health: 3000,
  healthInterval: 10_000,
  install: 600_000,
  init: 30_000,
  request: 15_000,
  shutdown: 5000,
  idle: 300_000,
  concurrency: 64,
  queue: 256,
  /** A process of each user needs memory; a connection hardly any. */
  maxInstances: { process: 32, remote: 1000 },
  corsMethods: ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'],
  corsHeaders: [
    'Accept',
    'Accept-Language',
    'Content-Language',
    'Content-Type',
    'Range',
    // Without these headers, allowed web pages could not send an API key or use MCP.
    'Authorization',
    'Mcp-Session-Id',
    'Mcp-Protocol-Version',
    'Mcp-Method',
    'Mcp-Name',
    'Last-Event-ID',
  ],
  corsMaxAge: 300_000,
} as const;
