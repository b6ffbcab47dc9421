import { afterAll, afterEach, beforeAll } from 'vitest';
import { type GatewayOptions, openGateway, type OpenGateway } from './open-gateway.ts';

/** One gateway for all tests of a file or group; returns how to access it inside a test. */
export function useGateway(options: () => GatewayOptions = () => ({})): () => OpenGateway {
  let gateway: OpenGateway | undefined;
  beforeAll(async () => {
    gateway = await openGateway(options());
  });
  afterAll(() => gateway?.close());
  return () => {
    if (!gateway) throw new Error('the gateway is not open');
    return gateway;
  };
}

/** Gateways for a single test; closed after it. */
export function useOwnGateways(): (options?: GatewayOptions) => Promise<OpenGateway> {
  const open: OpenGateway[] = [];
  afterEach(async () => {
    for (const gateway of open.splice(0)) await gateway.close();
  });
  return async (options) => {
    const gateway = await openGateway(options);
    open.push(gateway);
    return gateway;
  };
}
