import { userInfo } from 'node:os';
import type { Actor } from '../../store/audit/audit-trail.ts';

/** The user of the operating system that runs a command. A container's user id can have no name. */
export function localActor(): Actor {
  try {
    return { kind: 'cli', id: userInfo().username };
  } catch {
    return { kind: 'cli', id: `uid ${process.getuid?.() ?? 'unknown'}` };
  }
}
