import type { Behaviors } from './behavior.ts';

/** Documented behavior of billing in the gateway, even if its processes are killed. */
export const GATEWAY_LEDGER = {
  'gateway-ledger:killed': {
    source: 'docs/gateway.md#prices-and-usage',
    behavior:
      'A gateway that is killed under load records each response exactly once, leaves no reservations behind and exceeds no budgets.',
  },
  'gateway-ledger:killed-threads': {
    source: 'docs/gateway.md#prices-and-usage',
    behavior:
      'A gateway with several serving threads that is killed under load records each response exactly once, leaves no reservations behind and exceeds no budgets.',
  },
  'gateway-ledger:interrupted': {
    source: 'docs/gateway.md#prices-and-usage',
    behavior:
      'Requests in flight when a gateway is killed are billed once for the part that was sent, by the restarted gateway or another one, and marked as estimates.',
  },
  'gateway-ledger:alerts': {
    source: 'docs/gateway.md#alerts',
    behavior:
      'If a gateway is killed before it sends an alert, a gateway that starts later sends the alert once.',
  },
  'gateway-ledger:several': {
    source: 'docs/gateway-config.md#database-keys-and-limits',
    behavior: 'Several gateways on one database enforce budgets and rate limits like a single gateway.',
  },
} satisfies Behaviors;
