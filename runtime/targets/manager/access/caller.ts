/** What servers have apart from tools. */
export type ReadableKind = 'prompt' | 'resource';

/** Who calls: a key, or anyone when there are no keys. */
export interface Caller {
  /** For logs and limits. */
  readonly name: string;
  /** May reload, restart and read logs. */
  readonly admin: boolean;
  /** May only use tools that say of themselves that they change nothing. */
  readonly readOnly?: boolean | undefined;
  /** Whether it may use this server at all, or this tool of it. */
  mayUse(server: string, tool?: string): boolean;
  /** Whether it may get this prompt of the server, or read the resource of this URI or URI template. */
  mayRead(server: string, kind: ReadableKind, name: string): boolean;
}

/** Whether an authenticated caller is one of this program's, which its sign-in always returns. */
export const isCaller = (principal: object | undefined): principal is Caller =>
  principal !== undefined && 'mayUse' in principal;

/** Without keys, whoever can reach the server may do everything. */
export const ANYONE: Caller = { name: 'anyone', admin: true, mayUse: () => true, mayRead: () => true };
