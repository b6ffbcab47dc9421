import { Type } from 'typebox';
import { choice, count, flag, keys, text } from './shapes.ts';

const COMPUTES = ['local', 'ray'] as const;

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
