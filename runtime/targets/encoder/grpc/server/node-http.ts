import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';

/** Requests and responses of either HTTP version. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;
export type NodeResponse = ServerResponse | Http2ServerResponse;

export const pathOf = ({ url = '' }: NodeRequest): string => url.split('?', 1)[0] ?? '';
