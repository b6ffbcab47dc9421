import { connect as connectSocket } from 'node:net';
import { type Client, createClient } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { Plugin } from '../../../../gen/mozilla/mcpd/plugins/v1/plugin_pb.ts';
import { MAX_PLUGIN_BODY_BYTES } from '../exchange.ts';

export interface PluginClient {
  readonly calls: Client<typeof Plugin>;
  disconnect(): void;
}

/** As large as a body may be, and as much again for what is around it. */
const MAX_MESSAGE_BYTES = 2 * MAX_PLUGIN_BODY_BYTES;

/** Speaks gRPC over a unix socket. Connects when it is first needed. */
export function connectPlugin(socket: string): PluginClient {
  // The socket is all there is to connect to; gRPC wants a name nevertheless.
  const baseUrl = 'http://localhost';
  const sessionManager = new Http2SessionManager(
    baseUrl,
    {},
    { createConnection: () => connectSocket(socket) },
  );
  const transport = createGrpcTransport({ baseUrl, sessionManager, readMaxBytes: MAX_MESSAGE_BYTES });
  return { calls: createClient(Plugin, transport), disconnect: () => sessionManager.abort() };
}
