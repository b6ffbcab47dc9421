import { type TOptional, type TUnsafe, Type } from 'typebox';
import { RULE_KEYWORD } from '#core/yaml/explain-value.ts';
import {
  about,
  choice,
  computed,
  countOrAuto,
  countSetting,
  type Defaulted,
  flagSetting,
  keys,
  mapOf,
  textSetting,
} from './shapes.ts';

const COMPUTES = ['local', 'ray'] as const;

const AMOUNT = { type: 'number', minimum: 0, [RULE_KEYWORD]: 'a number of at least 0' };
const LABEL = { type: 'string', minLength: 1 };
const amount = <const Value extends number>(description: string, fallback: Value) =>
  Type.Optional(Type.Unsafe<number>({ ...AMOUNT, ...about(description, fallback) })) as Defaulted<
    TOptional<TUnsafe<number>>,
    Value
  >;

const MEBIBYTE = 1_048_576;
/** Maximum number of concurrent workers on a cluster, unless a single job is allowed more. */
export const RAY_SLOTS = 4;

const ray = keys(
  {
    address: Type.String({
      minLength: 1,
      description: "URL of the cluster's dashboard, e.g. http://head:8265.",
    }),
    token: textSetting('Token for the dashboard, sent as `Authorization: Bearer …`.'),
    token_file: textSetting('File containing the token, e.g. the one that Ray reads.'),
    slots: countSetting(
      'Maximum number of concurrent workers of this gateway on the cluster.',
      computed(`${RAY_SLOTS}, or \`workers\` if it is higher`),
    ),
    command: textSetting(
      "Shell command that starts this program on a node. By default, nodes download this gateway's executable.",
    ),
    cache_bytes: countSetting(
      'Maximum size in bytes of the executables that a node keeps; executables in use are always kept.',
      20 * 1024 * MEBIBYTE,
      0,
    ),
    gateway_url: textSetting(
      'URL at which nodes reach this gateway, e.g. http://gateway:8000.',
      computed('its own address'),
    ),
    cpus: amount('CPUs that Ray reserves for each worker; 0 runs workers on the head node.', 1),
    gpus: amount('GPUs that Ray reserves for each worker.', 0),
    memory: countSetting('Bytes of memory that Ray reserves for each worker.', 0, 0),
    resources: mapOf<number>(AMOUNT, 'Custom resources that Ray reserves for each worker, e.g. `batch: 1`.'),
    labels: mapOf<string>(
      LABEL,
      'Labels of the nodes that can run workers, with Ray label selectors as values, e.g. `zone: in(a, b)`.',
    ),
  },
  'A Ray cluster.',
);

export const workflows = keys(
  {
    compute: choice(COMPUTES, 'Where jobs run: on the gateway’s machine, or on the Ray cluster.', 'local'),
    workers: countOrAuto(
      'Maximum number of workers that share a job’s rows; with `auto`, encoder jobs get as many as the machine has CPUs, or as the Ray cluster has room for.',
      1,
    ),
    slots: countSetting('Maximum number of concurrent local workers.', computed('`workers`')),
    trust_users: flagSetting(
      'Allow users’ jobs to start `.encoder` files and to call loopback and private addresses, like jobs of the master key.',
      false,
    ),
    max_dataset_bytes: countSetting('Maximum size of a dataset in bytes.', 50 * MEBIBYTE),
    ray: Type.Optional(ray),
  },
  'How workflow jobs run.',
);
