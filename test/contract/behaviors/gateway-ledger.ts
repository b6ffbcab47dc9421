import type { Behaviors } from './behavior.ts';

/** What the gateway promises of money, whatever happens to its processes. */
export const GATEWAY_LEDGER = {
  'gateway-ledger:killed': {
    source: 'docs/gateway.md#prices-and-usage',
    behavior:
      'Killed at any moment under load: what was answered is written down once, nothing stays held, no budget is overrun.',
  },
  'gateway-ledger:interrupted': {
    source: 'docs/gateway.md#prices-and-usage',
    behavior:
      'Requests in flight of a killed gateway are billed once for what was sent, by the next gateway or by another one, and marked as estimates.',
  },
  'gateway-ledger:alerts': {
    source: 'docs/gateway.md#alerts',
    behavior:
      'An alert of a gateway that is killed before it sends it is sent once, by one of the gateways that start later.',
  },
  'gateway-ledger:several': {
    source: 'docs/gateway-config.md#database-keys-and-limits',
    behavior: 'Several gateways on one database keep a budget and a rate limit as one does.',
  },
} satisfies Behaviors;
