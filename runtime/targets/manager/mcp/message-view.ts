import type { Params } from '../shapes/shape.ts';
import type { Endpoint } from './endpoint.ts';

/** Creates the function that converts log messages for clients. At the endpoint of all servers, it adds the server's name. */
export const createMessageView =
  ({ server }: Endpoint) =>
  (from: string, params: Params): Params =>
    server === undefined ? { ...params, logger: loggerName(from, params) } : params;

const loggerName = (server: string, { logger }: Params): string =>
  typeof logger === 'string' ? `${server}/${logger}` : server;
