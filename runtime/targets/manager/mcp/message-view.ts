import type { ShapeOfParams } from '../shapes/shape.ts';
import type { McpEndpoint } from './endpoint.ts';

/**
 * Creates the function that converts log messages for clients. On the endpoint for all servers, it adds the
 * server's name.
 */
export const createMessageView =
  ({ server }: McpEndpoint) =>
  (from: string, params: ShapeOfParams): ShapeOfParams =>
    server === undefined ? { ...params, logger: loggerName(from, params) } : params;

const loggerName = (server: string, { logger }: ShapeOfParams): string =>
  typeof logger === 'string' ? `${server}/${logger}` : server;
