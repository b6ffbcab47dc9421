import type { Environment } from '#core/text/expand.ts';
import { variablePrefix } from './server-name.ts';

/**
 * Variables that a server process inherits: those for finding programs, for the user, the time zone
 * and the language, and for downloading packages. All other variables are omitted, because they
 * could be secrets of the manager or of another server.
 */
const INHERITED = new Set([
  ...'PATH HOME USER LOGNAME SHELL LANG LANGUAGE TERM TMPDIR TZ'.split(' '),
  ...'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY'.split(' '),
  ...'SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE'.split(' '),
  ...'DOCKER_HOST DOCKER_CONFIG DOCKER_CONTEXT DOCKER_CERT_PATH DOCKER_TLS_VERIFY'.split(' '),
]);
const INHERITED_PREFIXES = ['LC_', 'XDG_', 'NPM_CONFIG_', 'UV_', 'PIP_'];

/** Variables that programs need on Windows. */
const INHERITED_ON_WINDOWS = new Set([
  ...'SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT OS TEMP TMP'.split(' '),
  ...'USERNAME USERDOMAIN USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA'.split(' '),
  ...'PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) PROGRAMW6432 COMMONPROGRAMFILES'.split(' '),
  ...'NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE'.split(' '),
]);

/** Whether every server inherits the variable. Case is ignored, because `http_proxy` is as common as `HTTP_PROXY`. */
export function isInherited(variable: string, platform: string): boolean {
  const name = variable.toUpperCase();
  return (
    INHERITED.has(name) ||
    INHERITED_PREFIXES.some((prefix) => name.startsWith(prefix)) ||
    (platform === 'win32' && INHERITED_ON_WINDOWS.has(name))
  );
}

/** Returns the complete environment of a server's process. */
export function childEnvironment(
  server: string,
  own: Readonly<Record<string, string>>,
  { env, platform }: { readonly env: Environment; readonly platform: string },
): Record<string, string> {
  const prefix = variablePrefix(server);
  const inherited = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (isInherited(entry[0], platform) || entry[0].startsWith(prefix)),
  );
  if (platform !== 'win32') return { ...Object.fromEntries(inherited), ...own };
  // On Windows, `Path` and `PATH` are the same variable, and only one of them would reach the process.
  const names = new Set(Object.keys(own).map((name) => name.toUpperCase()));
  return { ...Object.fromEntries(inherited.filter(([name]) => !names.has(name.toUpperCase()))), ...own };
}
