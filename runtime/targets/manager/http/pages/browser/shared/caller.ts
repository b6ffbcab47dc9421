import type { Session } from '#serve/http/pages/browser/session.ts';
import { errorNotice } from '#serve/http/pages/browser/components/states.ts';
import { ServerError } from '#serve/http/pages/browser/server.ts';

interface Caller {
  readonly name: string;
  readonly admin: boolean;
  readonly adminReadOnly: boolean;
  readonly edit: boolean;
}

/** Reads the key's permissions. They determine which buttons a page shows; the server checks them again. */
export async function readCaller(session: Session, signal: AbortSignal): Promise<Caller> {
  const { data } = await session.call<Caller>(api('caller'), { signal });
  // A read-only admin key cannot change anything, regardless of its other permissions.
  return { ...data, edit: data.edit && !data.adminReadOnly };
}

/** Shown instead of buttons that change something. */
export const EDIT_HINT =
  'Changes require a key with edit permission. Create one on the manager’s machine: mcp-manager keys create --name <name> --edit';

/** The path of an operation. Each part stays one segment, even if it contains a slash. */
export const api = (...parts: string[]) => `api/v1/${parts.map(encodeURIComponent).join('/')}`;

export const admin = (...parts: string[]) => api('admin', ...parts);

/** Runs an operation that the server can reject, and shows the reason in part of the page. */
export async function guarded(notice: HTMLElement, run: () => Promise<void>) {
  notice.replaceChildren();
  try {
    await run();
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    const shown = errorNotice(error);
    shown.setAttribute('role', 'alert');
    notice.replaceChildren(shown);
  }
}

/** Treats an unsupported list as empty. */
export async function withoutSupport<Row>(read: () => Promise<readonly Row[]>): Promise<readonly Row[]> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ServerError && error.status === 501) return [];
    throw error;
  }
}
