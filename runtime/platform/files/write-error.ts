import { AppError, configError, messageOf } from '../../contract/errors.ts';
import { errorCode } from '../../core/values/error-code.ts';

/** Turns a file system error into a user-facing error; other errors are returned unchanged. */
export function explainWriteError(path: string, error: unknown): unknown {
  const code = errorCode(error);
  if (code === undefined || error instanceof AppError) return error;
  return configError(`Cannot write ${path}: ${REASONS[code] ?? messageOf(error)}.`, error);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full. Free some space, or write to another disk',
  EDQUOT: 'the disk quota is used up. Free some space, or write to another disk',
  EFBIG: 'the file would exceed the maximum file size. Raise the limit, or write to another disk',
  EEXIST: 'one of its parent folders is a file. Choose another output path',
  EACCES: 'permission denied. Choose another output path, or change the permissions of the folder',
  EPERM: 'permission denied. Choose another output path, or change the permissions of the folder',
  EROFS: 'the file system is read-only. Choose another output path',
  ENOENT: 'its folder does not exist. Create it, or choose another output path',
  ENOTDIR: 'one of its parent folders is a file. Choose another output path',
  EISDIR: 'it is a folder. Pass a file',
  ENOTEMPTY: 'it is a folder. Pass a file',
  ENAMETOOLONG: 'the name is too long for this file system. Choose a shorter output path',
};
