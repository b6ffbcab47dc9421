import { formatAddress } from '#serve/hostname.ts';
import type { EncoderContext } from '../context.ts';
import { exposureNotice } from './exposure.ts';
import type { ServeSettings } from './settings.ts';
import type { RunningServers } from './start-servers.ts';
import { pushAll } from '#core/values/push-all.ts';

/** The startup banner: the model, the addresses it is served on, and who can reach them if no key protects them. */
export function banner(
  { engine: { manifest }, runtime }: EncoderContext,
  settings: ServeSettings,
  ports: RunningServers['ports'],
): string {
  const { http, grpc, tls, mcpOnly } = settings;
  const scheme = tls ? 'https' : 'http';
  const lines = [
    `${manifest.name} ${manifest.version} (${manifest.modelType}), encoderfile ${runtime.version}`,
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
