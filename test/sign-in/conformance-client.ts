// The client that the conformance suite tests: it signs in like `mcp-manager login`, connects like the manager, and calls a tool. The suite
// passes the URL of its server as the last argument, and describes the scenario in variables.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OAuthSettings, ServerSpec } from '#manager/config/spec.ts';
import { login } from '#manager/sign-in/login.ts';
import { openSignIns } from '#manager/sign-in/sign-in-store.ts';
import { openConnection } from '#manager/upstream/open-connection.ts';

const MAX_SIGN_INS = 3;
const url = process.argv.at(-1) ?? '';
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const given = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Readonly<Record<string, string>>;

function settings(): OAuthSettings {
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: key } = given;
  if (scenario.startsWith('auth/client-credentials') && clientId !== undefined) {
    if (key !== undefined) return { grant: 'client_credentials', clientId, privateKey: { key } };
    return { grant: 'client_credentials', clientId, clientSecret };
  }
  const { idp_issuer: identityProvider, idp_client_id: identityClientId } = given;
  if (clientId !== undefined && identityProvider !== undefined && identityClientId !== undefined)
    return {
      grant: 'cross_app_access',
      clientId,
      clientSecret,
      identityProvider,
      identityClient: { clientId: identityClientId },
      identityToken: 'id_token',
    };
  return {
    grant: 'authorization_code',
    clientId,
    clientSecret,
    clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
  };
}

const everything = { allow: ['*'], deny: [] };
const spec: ServerSpec = {
  name: 'conformance',
  launch: { kind: 'remote', transport: 'http', url, headers: {}, oauth: settings() },
  tools: everything,
  prompts: everything,
  resources: everything,
  readOnly: false,
  lazy: false,
  idleMs: 0,
  timeouts: { install: 0, init: 10_000, request: 10_000, shutdown: 1000 },
  concurrency: 1,
  queue: 1,
};

const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
const store = openSignIns(folder, { env: {} });
const signIn = () =>
  login(spec, {
    store,
    show: (authorizationUrl) => void fetch(authorizationUrl),
    onProblem: (message) => process.stderr.write(`${message}\n`),
    timeoutMs: 5000,
  });

async function useServer(): Promise<void> {
  const options = { timeoutMs: 10_000 };
  const hooks = { onNotification: () => {}, onLog: (line: string) => process.stderr.write(`${line}\n`) };
  // The caller of the manager, whose token the suite provides.
  const currentUser = () => ({ user: 'caller', userId: 'caller', accessToken: given['idp_id_token'] });
  const connection = await openConnection(spec, { ...hooks, signIns: store, currentUser });
  try {
    const { tools } = await connection.request('tools/list', {}, options);
    const [tool] = tools as { readonly name: string }[];
    if (tool) await connection.request('tools/call', { name: tool.name, arguments: {} }, options);
  } finally {
    await connection.close();
  }
}

try {
  for (let signIns = 0; ; signIns += 1) {
    try {
      await useServer();
      break;
    } catch (error) {
      const needsPerson = error instanceof Error && error.message.includes('mcp-manager login');
      if (!needsPerson || signIns === MAX_SIGN_INS) throw error;
      await signIn();
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
