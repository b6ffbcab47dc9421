import type { Context } from 'hono';
import { AppError, inputError } from '#contract/errors.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import type { Route } from '#serve/http/route.ts';
import type { ToolCaller } from '../../access/caller.ts';
import type { ManagerContext } from '../../context.ts';
import { requiredSecrets } from '../../user-secrets/required-secrets.ts';
import { callerOfRequest } from '../env.ts';
import type { ManagerHttpParts } from '../parts.ts';
import {
  changedUserSecrets,
  linkedSecrets,
  newUserSecret,
  secretLinkBody,
  userSecretsBody,
} from '../schemas/user-secrets.ts';
import { compact } from '../views/compact.ts';

/** `/api/v1/secrets`: the caller's own secrets, which servers get. Their values are never returned. */
export function userSecretRoutes(
  { kernel, supervisor, userSecrets }: ManagerContext,
  { guards, route }: ManagerHttpParts,
): readonly Route[] {
  if (!userSecrets) return [];
  const { store, links } = userSecrets;

  const userOf = (c: Context<ShellEnv>): string => {
    const { user } = callerOfRequest(c);
    if (user !== undefined) return user;
    throw new AppError(
      'ForbiddenError',
      'The manager cannot identify the caller, who therefore cannot have secrets. Use an API key or an access token.',
    );
  };
  /** Returns the servers that use each secret, of those that the caller can use. */
  const uses = (caller: ToolCaller): ReadonlyMap<string, readonly string[]> => {
    const found = new Map<string, string[]>();
    for (const server of supervisor.names()) {
      if (!caller.canUse(server)) continue;
      const spec = supervisor.get(server)?.spec();
      for (const name of spec ? requiredSecrets(spec) : []) {
        found.set(name, [...(found.get(name) ?? []), server]);
      }
    }
    return found;
  };
  const set = async (c: Context<ShellEnv>, secrets: Readonly<Record<string, string>>): Promise<string[]> => {
    const user = userOf(c);
    await store.set(user, secrets);
    applyChange(user);
    // Fills in the values, so that logs do not contain them from now on.
    const caller = callerOfRequest(c);
    for (const server of new Set(Object.keys(secrets).flatMap((name) => uses(caller).get(name) ?? []))) {
      supervisor.get(server)?.problemOf(caller);
    }
    const names = Object.keys(secrets);
    kernel.log.info({ user: caller.name, secrets: names }, 'secrets of a user set');
    return names;
  };
  const applyChange = (user: string): void => {
    for (const name of supervisor.names()) supervisor.get(name)?.secretsChanged(user);
  };

  const guard = guards.own({
    check(c) {
      userOf(c);
    },
    errors: [403],
  });
  const common = { guard, tag: 'Secrets' };
  const NAME = { name: 'name', description: 'Name of the secret.', example: 'GITHUB_TOKEN' };
  const LINK = { name: 'link', description: 'The token in the link.', example: 'q3yM0Vd1x8n4Tz7KfW2sPbLu' };

  return [
    route({
      ...common,
      method: 'get',
      path: '/api/v1/secrets',
      id: 'listSecrets',
      summary: 'List the caller’s secrets, and those that servers require of the caller.',
      description: 'Values are never returned.',
      answer: answerOf('The secrets.', userSecretsBody, {
        secrets: [
          { name: 'GITHUB_TOKEN', isSet: true, servers: ['github'], changed: '2026-01-31T12:00:00.000Z' },
        ],
      }),
      run: (c) => {
        const known = store.list(userOf(c));
        const used = uses(callerOfRequest(c));
        const names = [...new Set([...known.keys(), ...used.keys()])].sort();
        const secrets = names.map((name) => ({
          name,
          isSet: known.has(name),
          servers: used.get(name) ?? [],
          ...compact({ changed: known.get(name) }),
        }));
        return { secrets };
      },
    }),
    route({
      ...common,
      method: 'put',
      path: '/api/v1/secrets/:name',
      id: 'setSecret',
      summary: 'Set one of the caller’s secrets.',
      description:
        'The caller’s processes and connections that use the secret end after their calls. The next call uses the new value.',
      parameters: [NAME],
      request: { schema: newUserSecret, examples: { token: { value: 'ghp_0EXAMPLE0' } } },
      answer: answerOf('The change.', changedUserSecrets, { changed: ['GITHUB_TOKEN'] }),
      errors: [404],
      run: async (c, { value }) => {
        const name = c.req.param('name');
        const used = uses(callerOfRequest(c));
        if (!used.has(name)) throw unusedSecret(name, [...used.keys()]);
        return { changed: await set(c, { [name]: value }) };
      },
    }),
    route({
      ...common,
      method: 'delete',
      path: '/api/v1/secrets/:name',
      id: 'removeSecret',
      summary: 'Remove one of the caller’s secrets.',
      parameters: [NAME],
      answer: answerOf('The change.', changedUserSecrets, { changed: ['GITHUB_TOKEN'] }),
      errors: [404],
      run: async (c) => {
        const name = c.req.param('name');
        const user = userOf(c);
        if ((await store.remove(user, name)) === 0) {
          throw new AppError('NotFoundError', `You have no secret ${JSON.stringify(name)}.`);
        }
        applyChange(user);
        kernel.log.info({ user: callerOfRequest(c).name, secrets: [name] }, 'secret of a user removed');
        return { changed: [name] };
      },
    }),
    route({
      ...common,
      method: 'get',
      path: '/api/v1/secret-links/:link',
      id: 'getSecretLink',
      summary: 'Get the secrets that a link is for.',
      description:
        'MCP clients get a link when a secret is missing. Only its user can use it, once, for 10 minutes.',
      parameters: [LINK],
      answer: answerOf('The secrets to set.', secretLinkBody, {
        server: 'github',
        secrets: ['GITHUB_TOKEN'],
      }),
      errors: [422],
      run: (c) => {
        const { server, secrets } = links.read(c.req.param('link'), userOf(c));
        return { server, secrets };
      },
    }),
    route({
      ...common,
      method: 'post',
      path: '/api/v1/secret-links/:link',
      id: 'useSecretLink',
      summary: 'Set the secrets that a link is for.',
      parameters: [LINK],
      request: {
        schema: linkedSecrets,
        examples: { token: { secrets: { GITHUB_TOKEN: 'ghp_0EXAMPLE0' } } },
      },
      answer: answerOf('The change.', changedUserSecrets, { changed: ['GITHUB_TOKEN'] }),
      run: async (c, { secrets }) => {
        const token = c.req.param('link');
        const link = links.read(token, userOf(c));
        if (Object.keys(secrets).sort().join() !== link.secrets.toSorted().join()) {
          throw inputError(`secrets must contain ${link.secrets.join(', ')} and nothing else.`);
        }
        links.use(token);
        return { changed: await set(c, secrets) };
      },
    }),
  ];
}

function unusedSecret(name: string, used: readonly string[]): AppError {
  const known =
    used.length === 0 ? 'No server requires one.' : `Servers require: ${used.toSorted().join(', ')}.`;
  return new AppError(
    'NotFoundError',
    `No server that you can use requires a secret ${JSON.stringify(name.slice(0, 100))}. ${known}`,
  );
}
