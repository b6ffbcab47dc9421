import { Type } from 'typebox';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { HIT_MODES } from '../../accounts/guardrail-hits/hit-modes.ts';
import { count, time } from '../http/fields.ts';

export const hitPage = closed('GuardrailHitPage', {
  total: count('Number of matching hits.'),
  items: Type.Array(
    closed(
      'GuardrailHit',
      {
        id: Type.String(),
        at: time('Time of the check.'),
        request_id: Type.String({ description: '`X-Request-Id` of the request.' }),
        user_id: orNull(Type.String()),
        api_key_id: orNull(Type.String(), 'Null for the master key.'),
        team_id: orNull(Type.String()),
        endpoint: Type.String({ description: 'Path of the endpoint.' }),
        model: Type.String({ description: 'Model that the request named.' }),
        profile: Type.String({ description: 'Profile of the guardrail.' }),
        mode: oneOf(HIT_MODES, { description: '`mask` if the text was sent with placeholders.' }),
        place: oneOf(['input', 'output']),
        score: orNull(Type.Number(), 'Null if the check was unavailable or has no scores.'),
        explanation: Type.String(),
      },
      'A text that a guardrail flagged or masked. The text itself is not stored.',
    ),
  ),
});
