import type { Kernel } from '#serve/kernel.ts';
import type { CallerGroups } from './access/groups.ts';
import type { AuditState, CallAuditLog } from './calls/audit.ts';
import type { Calls } from './calls/call.ts';
import type { ItemMeanings } from './calls/item-meanings.ts';
import type { RemoteSignIns } from './sign-in/remote-sign-ins.ts';
import type { OpenedSigner } from './user-secrets/identity-signer.ts';
import type { SecretLinks } from './user-secrets/secret-links.ts';
import type { UserSecrets } from './user-secrets/user-secrets.ts';
import type { Reloader } from '#serve/program/reloader.ts';
import type { ScanGuard } from './scanning/guard.ts';
import type { AppliedChanges, Supervisor } from './supervisor/managed-server.ts';

/** State shared by all protocols of the manager. */
export interface ManagerContext {
  readonly kernel: Kernel;
  readonly supervisor: Supervisor;
  readonly calls: Calls;
  /** Undefined if searches only use words. */
  readonly meanings?: ItemMeanings | undefined;
  /** The findings in texts of servers. */
  readonly scans: ScanGuard;
  readonly groups: CallerGroups;
  readonly signIns: RemoteSignIns;
  /** Signs statements about users for servers that trust the manager. */
  readonly identities?: Pick<OpenedSigner, 'keys'> | undefined;
  readonly userSecrets?: { readonly store: UserSecrets; readonly links: SecretLinks } | undefined;
  readonly reloader: Pick<Reloader<AppliedChanges>, 'reload'>;
  readonly version: string;
  /** Undefined if calls are not audited. */
  readonly audit?: (AuditState & Pick<CallAuditLog, 'record'>) | undefined;
}
