import type { Registry } from 'prom-client';
import type { Access } from './access.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Logger } from './log.ts';

/** State shared by all parts of a server. */
export interface Kernel {
  readonly log: Logger;
  readonly metrics: Registry;
  readonly lifecycle: Lifecycle;
  readonly access: Access;
}
