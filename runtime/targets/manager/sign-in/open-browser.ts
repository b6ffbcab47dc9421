import { spawn } from 'node:child_process';

/** Opens a URL in the browser of the person: the one in the variable BROWSER, or the default of the system. */
export function openBrowser(url: URL, env: Readonly<Record<string, string | undefined>>): void {
  const [command, ...args] = commandFor(env['BROWSER'] ?? '');
  const child = spawn(command, [...args, url.href], { stdio: 'ignore', detached: true });
  // The URL is printed as well, so a person without a browser here opens it elsewhere.
  child.on('error', () => undefined);
  child.unref();
}

function commandFor(browser: string): [string, ...string[]] {
  if (browser !== '') return [browser];
  if (process.platform === 'darwin') return ['open'];
  // `start` is part of the shell, which would interpret the `&` in the URL.
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return ['xdg-open'];
}
