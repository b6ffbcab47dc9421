import { encoderAdapter } from '../../../providers/adapters/encoder/encoder-provider.ts';
import type { OpenBackend } from './backend.ts';
import { upstreamAt } from './address.ts';
import { connect } from './connect.ts';
import { encoderModel } from './encoder-model.ts';
import { shownAddress } from './shown-address.ts';

/** Maximum concurrent connections. A batch is one request, but several metrics can call the same encoder concurrently. */
const CONNECTIONS = 4;

export const openEncoderUrl: OpenBackend<'encoder-url'> = async (backend, tools, { pacing, signal }) => {
  const { baseUrl, secretName } = backend;
  const apiKey = secretName === null ? undefined : await tools.secret(secretName);
  const name = `The encoder at ${shownAddress(baseUrl)}`;
  const { trusted: local } = tools;
  const adapter = encoderAdapter;
  const upstream = upstreamAt({ name, baseUrl, local, apiKey, adapter, connections: CONNECTIONS });
  const connection = connect({ name, upstream, adapter, apiKey }, pacing);
  try {
    return await encoderModel(name, connection, signal);
  } catch (error) {
    await connection.close();
    throw error;
  }
};
