import type { JsonClient } from '#serve/client/json-client.ts';
import type { Clock } from '#platform/clock.ts';
import type { Provider } from '../../../providers/adapters/provider.ts';
import type { CheckedRequest, GuardrailPlace, WebhookProfile } from '../guardrail.ts';

/** The result of one check of all texts of a request or an answer. */
export interface Judgement {
  readonly valid: boolean;
  readonly score: number;
  readonly explanation: string;
  /** How many values of each kind were masked. */
  readonly masked?: Readonly<Record<string, number>> | undefined;
}

/** What a check looks at. */
export interface Judged extends CheckedRequest {
  readonly place: GuardrailPlace;
  readonly texts: readonly string[];
}

/** Connections to the servers that decide. */
export interface Webhooks {
  of(profile: WebhookProfile): JsonClient;
  close(): Promise<void>;
}

export interface JudgeServices {
  /** The encoder of this name. */
  readonly classifier: (name: string) => Provider | undefined;
  readonly webhooks: Webhooks;
  readonly clock: Clock;
}
