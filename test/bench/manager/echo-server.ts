import { join } from 'node:path';
import { PATHS } from '../setup/paths.ts';

/** The MCP server for every contestant. Its own processing time is part of every call and is the same for all contestants. */
export const ECHO = {
  command: process.execPath,
  args: [join(PATHS.repository, 'fixtures/mcp-servers/echo.mjs')],
} as const;

export const echoNames = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => (at === 0 ? 'echo' : `echo-${at}`));
