import { type Invocation, UsageError } from '#serve/cli/command.ts';
import { requireSendableKey } from '../../config/require-sendable-key.ts';
import type { GatewayClient } from './gateway-client.ts';

/** Calls `work` with a client for the gateway at --url, or for a temporary gateway without --url. */
export async function withGateway<Result>(
  invocation: Invocation,
  options: Readonly<Record<string, unknown>>,
  work: (client: GatewayClient, url: string) => Promise<Result>,
): Promise<Result> {
  const url = invocation.value('url');
  if (url === undefined) {
    const { withTemporaryGateway } = await import('./temporary-gateway.ts');
    return await withTemporaryGateway(invocation, options, work);
  }
  checkGatewayUrl(invocation, url);
  const text = invocation.value('api-key');
  const key = text === undefined ? undefined : requireSendableKey(text, invocation.source('api-key'));
  const { createGatewayClient } = await import('./gateway-client.ts');
  const client = createGatewayClient(url, key);
  try {
    return await work(client, url);
  } finally {
    await client.close();
  }
}

/** Throws a UsageError for an invalid gateway URL. */
export function checkGatewayUrl(invocation: Invocation, url: string): void {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new UsageError(
      `${invocation.source('url')}: ${JSON.stringify(url)} is not an HTTP URL. Use a URL such as http://localhost:8000.`,
    );
  }
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') {
    throw new UsageError(
      `${invocation.source('url')} contains credentials, which would not be sent. Set the key with GATEWAY_API_KEY.`,
    );
  }
}
