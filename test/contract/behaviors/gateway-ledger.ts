import type { Behaviors } from './behavior.ts';

/** What the gateway promises of money, whatever happens to its processes. */
export const GATEWAY_LEDGER = {
  'gateway-ledger:killed': {
    source: 'docs/gateway.md#prices-and-usage',
    behavior:
      'A gateway killed under load records each response exactly once, leaves no reservation and exceeds no budget.',
  },
  'gateway-ledger:interrupted': {
    source: 'docs/gateway.md#prices-and-usage',
    behavior:
      'Requests in flight when a gateway is killed are billed once for what was sent, by the next gateway or another one, and marked as estimates.',
  },
  'gateway-ledger:alerts': {
    source: 'docs/gateway.md#alerts',
    behavior:
      'If a gateway is killed before it sends an alert, one of the gateways that start later sends it, once.',
  },
  'gateway-ledger:several': {
    source: 'docs/gateway-config.md#database-keys-and-limits',
    behavior: 'Several gateways on one database enforce budgets and rate limits like a single gateway.',
  },
} satisfies Behaviors;
