import { readFileSync } from 'node:fs';
import { messageOf } from '#contract/errors.ts';
import type { GatewayFile } from '../schemas/file.ts';
import { RAY_SLOTS, workflows as schema } from '../schemas/workflows.ts';
import type { RayConfig, WorkflowsConfig } from '../spec.ts';
import { readBaseUrl } from './base-url.ts';
import { pathIn, type ResolveContext } from './context.ts';
import { sendableKey } from './sendable.ts';

const PATH = ['workflows', 'ray'];
/** Resources that Ray does not accept as custom resources. */
const RAY_RESOURCES = { CPU: 'cpus', GPU: 'gpus', memory: 'memory' } as const;
const { properties: DEFAULTS } = schema;
const { properties: RAY_DEFAULTS } = DEFAULTS.ray;

export function resolveWorkflows(
  context: ResolveContext,
  { workflows = {} }: Pick<GatewayFile, 'workflows'>,
): WorkflowsConfig {
  const { workers = DEFAULTS.workers.default } = workflows;
  const ray = resolveRay(context, workflows, workers);
  if (workflows.compute === 'ray' && !workflows.ray) {
    context.report(['workflows', 'compute'], 'requires a cluster; set `workflows.ray.address`');
  }
  return {
    compute: workflows.compute ?? DEFAULTS.compute.default,
    workers,
    slots: workflows.slots ?? workers,
    trustUsers: workflows.trust_users ?? DEFAULTS.trust_users.default,
    maxDatasetBytes: workflows.max_dataset_bytes ?? DEFAULTS.max_dataset_bytes.default,
    ray,
  };
}

function resolveRay(
  context: ResolveContext,
  { ray }: NonNullable<GatewayFile['workflows']>,
  workers: WorkflowsConfig['workers'],
): RayConfig | undefined {
  if (!ray) return undefined;
  const { command, resources = {}, labels = {} } = ray;
  const { cpus, gpus, memory, cache_bytes: cacheBytes } = RAY_DEFAULTS;
  const slots = ray.slots ?? (workers === 'auto' ? workers : Math.max(RAY_SLOTS, workers));
  const token = sendableKey(context, [...PATH, 'token'], ray.token) ?? tokenIn(context, ray.token_file);
  if (ray.token !== undefined && ray.token_file !== undefined) {
    context.report([...PATH, 'token_file'], 'conflicts with `workflows.ray.token`; keep one of them', 'key');
  }
  const address = readBaseUrl(context, PATH, 'address', ray.address);
  const gatewayUrl = readBaseUrl(context, PATH, 'gateway_url', ray.gateway_url);
  for (const [name, key] of Object.entries(RAY_RESOURCES)) {
    if (Object.hasOwn(resources, name)) {
      context.report([...PATH, 'resources', name], `is not a custom resource; use \`workflows.ray.${key}\``);
    }
  }
  return {
    address: address ?? '',
    token,
    slots,
    command,
    cacheBytes: ray.cache_bytes ?? cacheBytes.default,
    gatewayUrl,
    resources: {
      cpus: ray.cpus ?? cpus.default,
      gpus: ray.gpus ?? gpus.default,
      memory: ray.memory ?? memory.default,
      custom: resources,
    },
    labels,
  };
}

/** Reads the Ray token from a file. Commands that run no jobs must work without permission to read it. */
function tokenIn(context: ResolveContext, file: string | undefined): string | undefined {
  if (file === undefined || !context.isNeeded('workflows')) return undefined;
  const path = [...PATH, 'token_file'];
  try {
    const token = readFileSync(pathIn(context, file), 'utf8').trim();
    if (token !== '') return sendableKey(context, path, token);
    context.report(path, 'the file is empty; it must contain the token');
    return undefined;
  } catch (error) {
    context.report(path, `cannot read the file: ${messageOf(error)}`);
    return undefined;
  }
}
