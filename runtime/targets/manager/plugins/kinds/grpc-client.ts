import { connect as connectSocket } from 'node:net';
import { type Client, createClient } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { Plugin } from '#gen/mozilla/mcpd/plugins/v1/plugin_pb.ts';
import { MAX_PLUGIN_BODY_BYTES } from '../exchange.ts';

export interface PluginClient {
  readonly calls: Client<typeof Plugin>;
  disconnect(): void;
}

/** Maximum message size: twice the maximum body size, so that there is space for the other fields. */
const MAX_MESSAGE_BYTES = 2 * MAX_PLUGIN_BODY_BYTES;

/** Creates a gRPC client for a Unix socket. The client connects on the first call. */
export function connectPlugin(socket: string): PluginClient {
  // gRPC requires a host name, even though the connection uses the socket.
  const baseUrl = 'http://localhost';
  const sessionManager = new Http2SessionManager(
    baseUrl,
    {},
    { createConnection: () => connectSocket(socket) },
  );
  const transport = createGrpcTransport({ baseUrl, sessionManager, readMaxBytes: MAX_MESSAGE_BYTES });
  return { calls: createClient(Plugin, transport), disconnect: () => sessionManager.abort() };
}
