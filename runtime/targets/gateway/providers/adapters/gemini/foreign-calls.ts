import { isObject } from '#core/json/is-object.ts';
import { FOREIGN_SIGNATURE } from '../../wires/thought-signatures.ts';
import type { Turn } from '../content.ts';

/** Models before Gemini 3, and open models, which do not check signatures. */
const WITHOUT_SIGNATURES = /(?:^|\/)(?:gemini-[12]\b|gemma|learnlm)/i;

/** Whether a model rejects a call without a signature. Names of newer models, and names without a version, are assumed to. */
export const requiresSignatures = (model: string): boolean => !WITHOUT_SIGNATURES.test(model);

/** Marks the first call of an answer as one of another model, unless it has a signature: further calls of an answer need none. */
export function withFirstSigned(turn: Turn): Turn {
  const at = turn.role === 'model' ? turn.parts.findIndex(({ functionCall }) => isObject(functionCall)) : -1;
  const first = turn.parts[at];
  if (first === undefined || first['thoughtSignature'] !== undefined) return turn;
  return { ...turn, parts: turn.parts.with(at, { ...first, thoughtSignature: FOREIGN_SIGNATURE }) };
}
