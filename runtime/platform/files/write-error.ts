import { lookup } from '#core/values/lookup.ts';
import { AppError, configError, messageOf } from '#contract/errors.ts';
import { errorCode } from '#core/values/error-code.ts';

/**
 * Converts a file system error to a user-facing error; returns other errors unchanged. `elsewhere`
 * explains how to choose another location.
 */
export function explainWriteError(
  path: string,
  error: unknown,
  elsewhere = 'Choose another output path',
): unknown {
  const code = errorCode(error);
  if (code === undefined || error instanceof AppError) return error;
  const reason = REASONS[code] ?? messageOf(error);
  const wayOut = WAYS_ELSEWHERE.has(code) ? `${elsewhere}${DENIED.has(code) ? PERMISSIONS : ''}.` : '';
  return configError(`Cannot write ${path}: ${reason}.${wayOut && ` ${wayOut}`}`, error);
}

const REASONS = lookup<string>({
  ENOSPC: 'the disk is full. Free some space, or write to another disk',
  EDQUOT: 'the disk quota is used up. Free some space, or write to another disk',
  EFBIG: 'the file would exceed the maximum file size. Raise the limit, or write to another disk',
  EEXIST: 'one of its parent folders is a file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOENT: 'its folder does not exist. Create it, or choose another output path',
  ENOTDIR: 'one of its parent folders is a file',
  EISDIR: 'it is a folder. Pass a file',
  ENOTEMPTY: 'it is a folder. Pass a file',
  ENAMETOOLONG: 'the name is too long for this file system. Choose a shorter output path',
});

const DENIED: ReadonlySet<string> = new Set(['EACCES', 'EPERM']);
const PERMISSIONS = ', or change the permissions of the folder';
const WAYS_ELSEWHERE: ReadonlySet<string> = new Set([...DENIED, 'EEXIST', 'EROFS', 'ENOTDIR']);
