import { type Invocation, UsageError } from '#serve/cli/command.ts';
import { CLIENT_OPTIONS } from '../experiment/client-options.ts';
import type { GatewayClient } from '../experiment/gateway-client.ts';
import { withGateway } from '../experiment/with-gateway.ts';
import { loginPath, readLogin } from '../sign-in/login-file.ts';

/** Calls `work` with a client of the gateway at --url with --api-key, or of the gateway of `gateway login`. */
export async function withSignIn<Result>(
  invocation: Invocation,
  work: (client: GatewayClient) => Promise<Result>,
): Promise<Result> {
  const [url, key] = [invocation.value('url'), invocation.value('api-key')];
  if (url !== undefined && key !== undefined) return await withGateway(invocation, CLIENT_OPTIONS, work);
  if (url !== undefined || key !== undefined) {
    throw new UsageError(
      `Set ${url === undefined ? 'GATEWAY_URL or --url' : 'GATEWAY_API_KEY or --api-key'} as well. Without both, the sign-in of \`gateway login\` is used.`,
    );
  }
  const login = await readLogin(loginPath(process.env));
  const { createGatewayClient } = await import('../experiment/gateway-client.ts');
  const client = createGatewayClient(login.url, login.key);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
