import { Type } from 'typebox';
import { closed, oneOf } from '#serve/http/schemas.ts';

export const health = closed('Health', { status: Type.Literal('healthy') });

const state = {
  database: oneOf(['connected', 'unavailable']),
  version: Type.String({ description: 'Version of the gateway.' }),
};

export const ready = closed('Ready', { status: Type.Literal('healthy'), ...state });
export const notReady = closed('NotReady', {
  detail: closed('NotReadyDetail', { status: Type.Literal('unhealthy'), ...state }),
});
