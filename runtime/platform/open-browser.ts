import { spawn } from 'node:child_process';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Opens a URL in the user's browser: the one in the variable BROWSER, or the default. Failures are
 * ignored, because commands print the URL as well.
 */
export function openBrowser(url: string, env: Environment): void {
  const [program, ...options] = programOf(env['BROWSER']);
  const child = spawn(program, [...options, url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}

function programOf(browser: string | undefined): [string, ...string[]] {
  if (browser) return [browser];
  if (process.platform === 'darwin') return ['open'];
  // `start` is a shell command, and the shell would interpret `&` in the URL.
  return process.platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}
