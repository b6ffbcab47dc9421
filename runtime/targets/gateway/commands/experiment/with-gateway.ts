import { type Invocation, UsageError } from '../../../../serve/cli/command.ts';
import { requireSendableKey } from '../../config/given-key.ts';
import type { GatewayClient } from './gateway-client.ts';

/** Asks the gateway that is named, or one that is started for it. */
export async function withGateway<Result>(
  invocation: Invocation,
  options: Readonly<Record<string, unknown>>,
  work: (client: GatewayClient, url: string) => Promise<Result>,
): Promise<Result> {
  const url = invocation.value('url');
  if (url === undefined) {
    const { withOwnGateway } = await import('./own-gateway.ts');
    return await withOwnGateway(invocation, options, work);
  }
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new UsageError(
      `${invocation.source('url')}: ${JSON.stringify(url)} is no address of a gateway. Write it as http://localhost:8000.`,
    );
  }
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') {
    throw new UsageError(
      `${invocation.source('url')} holds credentials, which are not sent. Give the key with GATEWAY_API_KEY.`,
    );
  }
  const given = invocation.value('api-key');
  const key = given === undefined ? undefined : requireSendableKey(given, invocation.source('api-key'));
  const { createGatewayClient } = await import('./gateway-client.ts');
  return await work(createGatewayClient(url, key), url);
}
