import { createAlertDelivery } from '#gateway/alerts/alert-delivery.ts';
import { type AlertsConfig } from '#gateway/alerts/alert-message.ts';
import type { GatewayState } from '#gateway/gateway-state.ts';
import { createTestClock } from '../test-clock.ts';
import { WEBHOOK_SECRET } from './receiver.ts';

/** Delivery that runs only when the test calls it, and records what it counts and logs. */
export function deliveryOf({ alerts: outbox }: Pick<GatewayState, 'alerts'>, url: string, local = true) {
  const counted: string[] = [];
  const logged: unknown[] = [];
  const log = (...line: unknown[]): void => void logged.push(line);
  const config: AlertsConfig = {
    thresholds: [],
    webhook: { url, secret: WEBHOOK_SECRET, local, timeoutMs: 5000 },
  };
  const delivery = createAlertDelivery({
    outbox,
    config: () => config,
    clock: createTestClock(),
    random: () => 0.5,
    log: { info: log, warn: log, error: log },
    count: (outcome) => void counted.push(outcome),
    onError: log,
  });
  return { ...delivery, counted, logged };
}
