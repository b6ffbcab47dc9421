import type { Flow } from './flow.ts';
import { CREATE_KEY, USE_PLAYGROUND } from './gateway.ts';
import { ADD_SERVER, CALL_TOOL } from './manager.ts';
import { CLASSIFY_FILE, TRY_REQUEST } from './encoder.ts';
import { NEW_EXPERIMENT } from './experiments.ts';

export const FLOWS: readonly Flow[] = [
  CREATE_KEY,
  USE_PLAYGROUND,
  NEW_EXPERIMENT,
  ADD_SERVER,
  CALL_TOOL,
  CLASSIFY_FILE,
  TRY_REQUEST,
];
