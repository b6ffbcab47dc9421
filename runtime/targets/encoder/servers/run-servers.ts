import { runServer } from '#serve/program/run-server.ts';
import { exposureNotice } from './exposure.ts';
import { deviceText } from '../engine/device-text.ts';
import { openEncoder } from './open-context.ts';
import type { ServeSettings } from './settings.ts';
import { loadServers, startServers, type RunningServers } from './start-servers.ts';
import { formatAddress } from '#serve/bind.ts';
import type { EncoderContext } from '../context.ts';
import { staticFormFacts } from '#core/model/manifest-facts.ts';
import { pushAll } from '#core/values/push-all.ts';

/** Serves the model until the process is stopped, or stdin is closed. Returns the exit code. */
export const runServers = (
  modelPath: string,
  settings: ServeSettings,
  stopsWithStdin = false,
): Promise<number> =>
  runServer({
    reloads: false,
    stopsWithStdin,
    async start(write) {
      const context = await openEncoder(modelPath, settings, write, () => loadServers(settings));
      const notice = exposureNotice(settings);
      const { ports, stop } = await startServers(context, settings);
      return {
        log: context.kernel.log,
        banner: banner(context, settings, ports),
        facts: { ...ports, model: context.engine.manifest.name },
        warnings: notice ? [notice.warning] : [],
        watchdog: { timeoutMs: settings.watchdogMs, requests: context.kernel.lifecycle.inside },
        failed: context.ended.then(() => MODEL_ENDED),
        stop,
      };
    },
  });

const MODEL_ENDED =
  'all inference threads exited and the model cannot be reopened (was the file replaced or removed?)';

/**
 * The startup banner: the model, the addresses at which it is served, and who can reach these
 * addresses if no API key is required.
 */
function banner(
  { engine: { manifest, device }, runtime }: EncoderContext,
  settings: ServeSettings,
  ports: RunningServers['ports'],
): string {
  const { http, grpc, tls, mcpOnly } = settings;
  const scheme = tls ? 'https' : 'http';
  const lines = [
    `${manifest.name} ${manifest.version} (${manifest.modelType}), encoderfile ${runtime.version}`,
    ...staticFormFacts(manifest).map(([label, text]) => `${label} (stage: fast): ${text}`),
    ...(device ? [`Device: ${deviceText(device())}`] : []),
    '',
  ];
  if (http && ports.http !== undefined) {
    const url = `${scheme}://${formatAddress(http.hostname, ports.http)}`;
    if (!mcpOnly) lines.push(`  HTTP  ${url}`);
    lines.push(`  MCP   ${url}/mcp`);
  }
  if (grpc && ports.grpc !== undefined) {
    lines.push(`  gRPC  ${formatAddress(grpc.hostname, ports.grpc)}${tls ? ' (TLS)' : ''}`);
  }
  const notice = exposureNotice(settings);
  if (notice) pushAll(lines, ['', ...notice.lines]);
  return `${lines.join('\n')}\n\n`;
}
