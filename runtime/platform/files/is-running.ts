import { errorCode } from '#core/values/error-code.ts';

/** Whether a process with this id exists, owned by any user. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
