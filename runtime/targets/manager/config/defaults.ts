/** Defaults of settings that neither a flag nor the file sets. Times are in milliseconds. */
export const DEFAULTS = {
  addr: '127.0.0.1:8090',
  apiShutdown: 5000,
  health: 3000,
  healthInterval: 10_000,
  init: 30_000,
  request: 15_000,
  shutdown: 5000,
  idle: 300_000,
  concurrency: 64,
  queue: 256,
  corsMethods: ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'],
  corsHeaders: [
    'Accept',
    'Accept-Language',
    'Content-Language',
    'Content-Type',
    'Range',
    // Without these headers, allowed pages could use neither an API key nor MCP.
    'Authorization',
    'Mcp-Session-Id',
    'Mcp-Protocol-Version',
    'Mcp-Method',
    'Mcp-Name',
    'Last-Event-ID',
  ],
  corsMaxAge: 300_000,
} as const;
