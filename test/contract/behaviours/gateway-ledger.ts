import type { Behaviours } from './behaviour.ts';

/** What the gateway promises of money, whatever happens to its processes. */
export const GATEWAY_LEDGER = {
  'gateway-ledger:killed': {
    source: 'issue 6, "Must show"',
    behaviour:
      'Killed at any moment under load: what was answered is written down once, nothing stays held, no budget is overrun.',
  },
  'gateway-ledger:several': {
    source: 'issue 6, "Store"',
    behaviour: 'Several gateways on one database keep a budget and a rate limit as one does.',
  },
} satisfies Behaviours;
