import type { IncomingHttpHeaders } from 'node:http';
import type { ContextReader } from './request-trace.ts';

/** Reads a trace context from the headers of Node's requests, of either HTTP version. */
export const nodeHeaders = (headers: IncomingHttpHeaders): ContextReader => ({
  get: (name) => headers[name]?.toString(),
});
