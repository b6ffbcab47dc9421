import type { Command, Invocation } from '../../../serve/cli/command.ts';
import { isJson, TEXT_OR_JSON } from '../../../serve/cli/output-format.ts';
import { exactly } from '../../../serve/cli/positionals.ts';
import { printJson } from '../../../serve/cli/print.ts';
import { duration } from '../../../serve/cli/values.ts';
import { configPaths } from '../config/config-paths.ts';
import type { ServerSpec } from '../config/spec.ts';
import type { SignInStore } from '../sign-in/sign-in-store.ts';
import { CONFIG_OPTIONS } from './config-options.ts';
import { enabledServer } from './enabled-servers.ts';

const loginCommand: Command = {
  summary: 'Sign in to a remote server in a browser.',
  positionals: '<server>',
  options: {
    ...CONFIG_OPTIONS,
    ...TEXT_OR_JSON,
    'no-browser': {
      help: 'Only print the address to open; the address to which the browser returns can be pasted here',
    },
    timeout: { value: 'time', help: 'How long to wait for the person', fallback: '5m' },
  },
  async run(invocation, output) {
    const { spec, store } = await openServer(invocation);
    const [{ login }, { openBrowser }] = await Promise.all([
      import('../sign-in/login.ts'),
      import('../../../platform/open-browser.ts'),
    ]);
    const noBrowser = invocation.flag('no-browser');
    const { issuer, tokens } = await login(spec, {
      store,
      show(url) {
        output.err(`Open this address to sign in to ${spec.name}:\n\n  ${url.href}\n\n`);
        if (noBrowser) output.err('If the browser runs elsewhere, paste the address to which it returns:\n');
        else openBrowser(url.href, process.env);
      },
      pasted: noBrowser ? process.stdin : undefined,
      onProblem: (message) => output.err(`${message}\n`),
      timeoutMs: duration(invocation, 'timeout') ?? 0,
    });
    // A stream that was read would keep the process running.
    if (noBrowser) process.stdin.destroy();
    const scope = tokens?.scope;
    if (isJson(invocation)) printJson(output, { server: spec.name, issuer, scope });
    else
      output.out(
        `Signed in to ${spec.name} at ${issuer}${scope === undefined ? '' : `, scopes: ${scope}`}.\n`,
      );
    return 0;
  },
};

const logoutCommand: Command = {
  summary: 'Sign out of a remote server: revoke and delete its tokens.',
  positionals: '<server>',
  options: { ...CONFIG_OPTIONS, ...TEXT_OR_JSON },
  async run(invocation, output) {
    const { spec, store } = await openServer(invocation);
    const { logout } = await import('../sign-in/logout.ts');
    const { wasSignedIn, notRevoked } = await logout(spec, store);
    if (notRevoked !== undefined) output.err(`The tokens were deleted, but not revoked: ${notRevoked}\n`);
    if (isJson(invocation)) printJson(output, { server: spec.name, wasSignedIn });
    else output.out(wasSignedIn ? `Signed out of ${spec.name}.\n` : `Not signed in to ${spec.name}.\n`);
    return 0;
  },
};

/** Commands for the sign-ins of persons to remote servers. */
export const SIGN_IN_COMMANDS: Record<string, Command> = { login: loginCommand, logout: logoutCommand };

async function openServer(
  invocation: Invocation,
): Promise<{ readonly spec: ServerSpec; readonly store: SignInStore }> {
  const [typed] = exactly(invocation, '<server>');
  const paths = configPaths(invocation, process.env);
  const [{ readConfig }, { openSignIns }, { signInFolder }] = await Promise.all([
    import('../config/read-config.ts'),
    import('../sign-in/sign-in-store.ts'),
    import('../sign-in/sign-in-folder.ts'),
  ]);
  const { servers } = await readConfig(paths, process.env, { keepsUnusable: true });
  const spec = enabledServer(servers, typed);
  return { spec, store: openSignIns(signInFolder(paths), { env: process.env }) };
}
