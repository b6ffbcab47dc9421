import { isDeepStrictEqual } from 'node:util';
import type { ServerSpec } from '../config/spec.ts';

type Opened = Pick<ServerSpec, 'launch' | 'extensions'>;

/** Whether a changed specification requires a new session. Extensions are announced in the handshake. */
export const needsNewSession = (before: Opened, after: Opened): boolean =>
  !isDeepStrictEqual([before.launch, before.extensions], [after.launch, after.extensions]);
