import type { Passed } from '../../providers/shapes/passed.ts';
import { pass } from './pass.ts';

/**
 * Marks the text of a stored request, which passed the policy when the request was sent: a blocked request is
 * not stored, and masked values are stored as placeholders. Only for encoders that the gateway's
 * configuration names.
 */
export const passLogged = (text: string): Passed<{ readonly text: string }> => pass({ text });
