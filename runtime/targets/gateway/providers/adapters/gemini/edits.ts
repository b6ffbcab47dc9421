import type { MemberEdits } from '../../../shared/json-members.ts';
import { REMOVE_GATEWAY_MEMBERS } from '../gateway-members.ts';

/** Removes members that Gemini's API does not have: its paths name the model and whether to stream. */
export const GEMINI_EDITS: MemberEdits = {
  ...REMOVE_GATEWAY_MEMBERS,
  model: undefined,
  stream: undefined,
  user: undefined,
};
