import { Type } from 'typebox';
import { RULE_KEYWORD } from '../../../../core/yaml/explain-value.ts';
import { choice, count, flag, keys, mapOf, text } from './shapes.ts';

const COMPUTES = ['local', 'ray'] as const;

const AMOUNT = { type: 'number', minimum: 0, [RULE_KEYWORD]: 'a number of 0 or more' };
const amount = (description: string) => Type.Optional(Type.Unsafe<number>({ ...AMOUNT, description }));

const ray = keys(
  {
    address: Type.String({
      minLength: 1,
      description: "Of the cluster's dashboard, as http://head:8265.",
    }),
    token: text('Sent to it as `Authorization: Bearer …`.'),
    slots: count('Jobs that run there at once for this gateway (4).'),
    command: text("What starts this program on the cluster's nodes, as a shell reads it (gateway)."),
    gateway_url: text(
      'Where the nodes reach this gateway, as http://gateway:8000; its own address unless set.',
    ),
    cpus: amount('CPUs that Ray reserves for each job; 0 runs jobs on the head node (1).'),
    gpus: amount('GPUs that Ray reserves for each job (0).'),
    memory: count('Bytes of memory that Ray reserves for each job (0).', 0),
    resources: mapOf<number>(AMOUNT, 'Custom resources that Ray reserves for each job, as `batch: 1`.'),
  },
  'A Ray cluster whose nodes have this program.',
);

export const workflows = keys(
  {
    compute: choice(COMPUTES, 'Where jobs run: beside the gateway, or on the Ray cluster (local).'),
    slots: count('Jobs that run at once beside this gateway (1).'),
    trust_users: flag(
      'Let jobs of users start files, and ask addresses of this machine and of private networks, as those of the master key may (false).',
    ),
    max_dataset_bytes: count('Bytes that a dataset may have (50 MiB).'),
    ray: Type.Optional(ray),
  },
  'How jobs of workflows run.',
);
