import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, until } from './processes.ts';
import type { ProviderChecks } from './provider-checks.ts';

const KEYCLOAK_MS = 300_000;

/** Signs in with the Keycloak in KEYCLOAK_HOME, if it is set. */
export async function checkKeycloak({
  processes,
  check,
  callTool,
  remote,
  protect,
}: Pick<ProviderChecks, 'processes' | 'check' | 'callTool' | 'remote' | 'protect'>): Promise<void> {
  const keycloakHome = process.env['KEYCLOAK_HOME'];
  if (keycloakHome === undefined) return;
  const port = await freePort();
  const realm = `http://localhost:${port}/realms/team`;
  mkdirSync(join(keycloakHome, 'data/import'), { recursive: true });
  copyFileSync(join(import.meta.dirname, 'keycloak-realm.json'), join(keycloakHome, 'data/import/team.json'));
  const options = ['start-dev', '--import-realm', `--http-port=${port}`];
  processes.startGroup(join(keycloakHome, 'bin/kc.sh'), options);
  await until(
    'Keycloak',
    async () => (await fetch(`${realm}/.well-known/openid-configuration`)).ok,
    KEYCLOAK_MS,
  );
  await check('Keycloak: login with a registered client, and JWTs with another audience', async () => {
    const [protectedPort, otherPort] = [await freePort(), await freePort()];
    const base = `http://127.0.0.1:${protectedPort}`;
    const settings = `issuer = ${JSON.stringify(realm)}\nresource = ${JSON.stringify(base)}\naudiences = ["mcp-manager"]\n`;
    await processes.startManager('protected-by-keycloak', protectedPort, protect(settings));
    const server = `${remote('person', `${base}/mcp/echo`)}[servers.oauth]\nclient_id = "mcp-manager-login"\nscope = "use"\n`;
    const other = await processes.startManager('client-of-keycloak', otherPort, server);
    await other.run(['login', 'person']);
    await until('a call works', async () => {
      await callTool(other, 'person', 'echo', { message: 'hello' });
      return true;
    });
    await other.run(['logout', 'person']);
  });
}
