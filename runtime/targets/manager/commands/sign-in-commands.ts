import { type Command, type Invocation, type Output, UsageError } from '#serve/cli/command.ts';
import { isJson, JSON_OPTION } from '#serve/cli/output-format.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { printJson } from '#serve/cli/terminal.ts';
import { durationOption } from '#serve/cli/values.ts';
import { LOCAL_USER } from '../access/caller.ts';
import { configPaths } from '../config/config-paths.ts';
import { isPerUser, type ServerSpec } from '../config/spec.ts';
import type { PersonOptions } from '../sign-in/await-redirect.ts';
import type { SignInStore } from '../sign-in/sign-in-store.ts';
import { DAEMON_CLIENT_OPTIONS, withManager } from './client-options.ts';
import { enabledServer } from './enabled-servers.ts';

const LOCAL_OPTION = {
  local: {
    help: 'For servers where each user signs in: use the sign-in for `stdio` without a running manager (conflicts with --url)',
  },
};

const loginCommand: Command = {
  summary: 'Sign in to a remote server in a browser.',
  positionals: '<server>',
  options: {
    ...DAEMON_CLIENT_OPTIONS,
    ...JSON_OPTION,
    ...LOCAL_OPTION,
    'no-browser': {
      help: 'Only print the URL to open; the URL to which the browser is redirected can be pasted to stdin',
    },
    timeout: { value: 'time', help: 'How long to wait for confirmation', fallback: '5m' },
  },
  async run(invocation, output) {
    const { spec, store, isAtManager, user } = await openServer(invocation);
    const person = await personOptions(invocation, output, spec.name);
    const report = ({
      issuer,
      scope,
    }: {
      issuer?: string | undefined;
      scope?: string | undefined;
    }): number => {
      // Once read, stdin would keep the process running.
      if (person.pasted) process.stdin.destroy();
      const scopes = scope === undefined ? '' : `, scopes: ${scope}`;
      if (isJson(invocation)) printJson(output, { server: spec.name, issuer, scope });
      else output.out(`Signed in to ${spec.name} at ${issuer}${scopes}.\n`);
      return 0;
    };
    if (isAtManager) {
      const { loginAtManager } = await import('../client/login-at-manager.ts');
      const redirectUri = redirectUriOf(spec);
      return await withManager(invocation, async (manager) =>
        report(await loginAtManager(manager, { server: spec.name, redirectUri }, person)),
      );
    }
    const [{ login }, { withDocumentScopes }] = await Promise.all([
      import('../sign-in/login.ts'),
      import('../upstream/api/document-scopes.ts'),
    ]);
    const { issuer, tokens } = await login(await withDocumentScopes(spec), { store, user, ...person });
    return report({ issuer, scope: tokens?.scope });
  },
};

const logoutCommand: Command = {
  summary: 'Sign out of a remote server: revoke and delete its tokens.',
  positionals: '<server>',
  options: { ...DAEMON_CLIENT_OPTIONS, ...JSON_OPTION, ...LOCAL_OPTION },
  async run(invocation, output) {
    const { spec, store, isAtManager, user } = await openServer(invocation);
    const report = ({
      wasSignedIn,
      notRevoked,
    }: {
      wasSignedIn: boolean;
      notRevoked?: string | undefined;
    }): number => {
      if (notRevoked !== undefined) output.err(`The tokens were deleted but not revoked: ${notRevoked}\n`);
      if (isJson(invocation)) printJson(output, { server: spec.name, wasSignedIn });
      else output.out(wasSignedIn ? `Signed out of ${spec.name}.\n` : `Not signed in to ${spec.name}.\n`);
      return 0;
    };
    if (isAtManager) {
      const { apiPath } = await import('../client/manager-client.ts');
      return await withManager(invocation, async (manager) =>
        report((await manager.delete(apiPath('servers', spec.name, 'sign-in'))) as { wasSignedIn: boolean }),
      );
    }
    const { logout } = await import('../sign-in/logout.ts');
    return report(await logout(spec, store, user));
  },
};

/** Commands for user sign-ins to remote servers. */
export const SIGN_IN_COMMANDS: Record<string, Command> = { login: loginCommand, logout: logoutCommand };

async function personOptions(invocation: Invocation, output: Output, server: string): Promise<PersonOptions> {
  const { openBrowser } = await import('#platform/open-browser.ts');
  const noBrowser = invocation.flag('no-browser');
  return {
    show(url) {
      output.err(`Open this URL to sign in to ${server}:\n\n  ${url.href}\n\n`);
      if (noBrowser)
        output.err('If the browser runs on another machine, paste the URL to which it is redirected:\n');
      else openBrowser(url.href, process.env);
    },
    pasted: noBrowser ? process.stdin : undefined,
    onProblem: (message) => output.err(`${message}\n`),
    timeoutMs: durationOption(invocation, 'timeout') ?? 0,
  };
}

const redirectUriOf = ({ launch }: ServerSpec): string | undefined =>
  launch.kind === 'remote' && launch.oauth?.grant === 'authorization_code'
    ? launch.oauth.redirectUri
    : undefined;

interface OpenedServer {
  readonly spec: ServerSpec;
  readonly store: SignInStore;
  /** Whether the running manager stores the sign-in, because the sign-in belongs to the owner of a key. */
  readonly isAtManager: boolean;
  /** The user of a sign-in without a manager; undefined if all callers share it. */
  readonly user: string | undefined;
}

async function openServer(invocation: Invocation): Promise<OpenedServer> {
  const [typed] = exactly(invocation, '<server>');
  const local = invocation.flag('local');
  if (local && invocation.given('url'))
    throw new UsageError('--local and --url conflict with each other; use one of them.');
  const paths = configPaths(invocation, process.env);
  const [{ readConfig }, { openSignIns }, { signInFolder }] = await Promise.all([
    import('../config/read-config.ts'),
    import('../sign-in/sign-in-store.ts'),
    import('../sign-in/sign-in-folder.ts'),
  ]);
  const { servers } = await readConfig(paths, process.env, { keepsUnusable: true });
  const spec = enabledServer(servers, typed);
  const perUser = isPerUser(spec);
  if (local && !perUser)
    throw new UsageError(
      `--local requires a server where each user signs in, but ${spec.name} has one shared sign-in. Omit --local.`,
    );
  const store = openSignIns(signInFolder(paths), { env: process.env });
  return { spec, store, isAtManager: perUser && !local, user: perUser ? LOCAL_USER : undefined };
}
