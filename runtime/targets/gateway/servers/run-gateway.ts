import type { Output } from '#serve/cli/command.ts';
import { runServer } from '#serve/program/run-server.ts';
import { type RunningGateway, startGateway, type StartOptions } from './start-gateway.ts';

/** Runs until the process is stopped; returns the exit code. SIGHUP reloads the configuration. */
export const runGateway = (options: Omit<StartOptions, 'write'>, output: Output): Promise<number> =>
  runServer({
    reloads: true,
    async start(write) {
      const running = await startGateway({ ...options, write });
      const { log, url, firstKey, reload, stop, config, requests, failed } = running;
      if (firstKey !== undefined) output.out(`${firstKey}\n`);
      return {
        log,
        banner: bannerOf(running),
        facts: { url },
        watchdog: { timeoutMs: config.server.watchdogMs, requests },
        failed,
        // The log already has the reason for the failure.
        reload: () => void reload().catch(() => undefined),
        stop,
      };
    },
  });

/** The message that is printed when the gateway is ready, with its URLs. */
function bannerOf({
  url,
  config,
  models,
  firstKey,
}: Pick<RunningGateway, 'url' | 'config' | 'models' | 'firstKey'>): string {
  const { providers, aliases } = models;
  const names = providers.map(({ name, type }) => (type === 'encoder' ? `encoder:${name}` : name));
  const aliasText = aliases.length === 0 ? '' : `; aliases: ${aliases.map(({ name }) => name).join(', ')}`;
  const lines = [
    `The gateway is running. Providers: ${names.join(', ') || 'none; configure `providers`'}${aliasText}`,
    '',
    `  HTTP  ${url}`,
    `  API   ${url}/docs`,
    `  Spec  ${url}/openapi.json`,
    ...(config.masterKey === undefined ? ['', '  No master key is set: admin endpoints return 503.'] : []),
    ...(firstKey === undefined ? [] : ['', '  The first API key is on stdout. It is shown only once.']),
  ];
  return `${lines.join('\n')}\n\n`;
}
