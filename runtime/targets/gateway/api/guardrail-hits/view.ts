import type { Static } from 'typebox';
import { rfc3339 } from '#core/time/rfc3339.ts';
import type { GuardrailHitRow } from '../../store/record-schema.ts';
import { HIT_MODES } from '../../accounts/guardrail-hits/hit-modes.ts';
import type { hitPage } from './schemas.ts';

export const hitView = ({
  at,
  mode,
  place,
  ...row
}: GuardrailHitRow): Static<typeof hitPage>['items'][number] => ({
  ...row,
  at: rfc3339(at),
  mode: HIT_MODES.find((one) => one === mode) ?? 'monitor',
  place: place === 'output' ? 'output' : 'input',
});
