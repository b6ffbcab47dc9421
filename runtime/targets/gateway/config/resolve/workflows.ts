import type { GatewayFile } from '../schemas/file.ts';
import type { RayConfig, WorkflowsConfig } from '../spec.ts';
import { readBaseUrl } from './base-url.ts';
import type { ResolveContext } from './context.ts';
import { sendableKey } from './sendable.ts';

const PATH = ['workflows', 'ray'];
const MEBIBYTE = 1_048_576;

export function resolveWorkflows(
  context: ResolveContext,
  { workflows = {} }: Pick<GatewayFile, 'workflows'>,
): WorkflowsConfig {
  const ray = resolveRay(context, workflows);
  if (workflows.compute === 'ray' && !workflows.ray) {
    context.report(['workflows', 'compute'], 'needs the cluster: set `workflows.ray.address`');
  }
  return {
    compute: workflows.compute ?? 'local',
    slots: workflows.slots ?? 1,
    trustUsers: workflows.trust_users ?? false,
    maxDatasetBytes: workflows.max_dataset_bytes ?? 50 * MEBIBYTE,
    ray,
  };
}

function resolveRay(
  context: ResolveContext,
  { ray }: NonNullable<GatewayFile['workflows']>,
): RayConfig | undefined {
  if (!ray) return undefined;
  const { slots = 4, command = 'gateway' } = ray;
  const token = sendableKey(context, [...PATH, 'token'], ray.token);
  const address = readBaseUrl(context, PATH, 'address', ray.address);
  const gatewayUrl = readBaseUrl(context, PATH, 'gateway_url', ray.gateway_url);
  return { address: address ?? '', token, slots, command, gatewayUrl };
}
