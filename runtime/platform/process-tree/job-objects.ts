import { lazy } from '#core/values/lazy.ts';
import { withoutWarning } from '../without-warning.ts';

/** A Job Object of Windows: a process and everything that it starts from then on. A process cannot leave it. */
export interface Job {
  /** Whether a process of the job is running. */
  readonly isRunning: () => boolean;
  /** Terminates all processes of the job. Windows has no signal that they could handle. */
  readonly end: () => void;
  /** Terminates the processes that are left, and releases the job. The system does this if this process is terminated. */
  readonly close: () => void;
}

const END_WITH_OWNER = 0x2000; // JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
const SET_QUOTA_AND_TERMINATE = 0x101; // PROCESS_SET_QUOTA | PROCESS_TERMINATE

/** JOBOBJECT_EXTENDED_LIMIT_INFORMATION: its information class, its size, and the offset of its flags. */
const LIMITS = { kind: 9, bytes: 144, flagsAt: 16 };
/** JOBOBJECT_BASIC_ACCOUNTING_INFORMATION: its information class, its size, and the offset of the number of running processes. */
const COUNTS = { kind: 1, bytes: 48, runningAt: 40 };

/**
 * Moves a process to a new job. Call it in the same turn of the event loop that started the process, because processes that
 * it has started before are not in the job. Undefined if the process has ended.
 */
export function createJob(pid: number): Job | undefined {
  const kernel = kernelFunctions();
  const job = kernel.CreateJobObjectW(null, null);
  const limits = Buffer.alloc(LIMITS.bytes);
  limits.writeUInt32LE(END_WITH_OWNER, LIMITS.flagsAt);
  // As long as this handle is open, Windows does not use the process ID again.
  const process = kernel.OpenProcess(SET_QUOTA_AND_TERMINATE, 0, pid);
  const close = (): void => {
    for (const handle of [job, process]) if (handle !== 0n) kernel.CloseHandle(handle);
  };
  const isReady =
    kernel.SetInformationJobObject(job, LIMITS.kind, limits, limits.length) !== 0 &&
    kernel.AssignProcessToJobObject(job, process) !== 0;
  if (!isReady) {
    close();
    return undefined;
  }
  return {
    isRunning() {
      const counts = Buffer.alloc(COUNTS.bytes);
      kernel.QueryInformationJobObject(job, COUNTS.kind, counts, counts.length, null);
      return counts.readUInt32LE(COUNTS.runningAt) > 0;
    },
    end: () => void kernel.TerminateJobObject(job, 1),
    close,
  };
}

/** Loaded with the first job. */
const kernelFunctions = lazy(() => {
  const { dlopen } = withoutWarning(() => process.getBuiltinModule('node:ffi'));
  return dlopen('kernel32.dll', {
    CreateJobObjectW: { arguments: ['pointer', 'pointer'], return: 'pointer' },
    SetInformationJobObject: { arguments: ['pointer', 'i32', 'buffer', 'u32'], return: 'i32' },
    QueryInformationJobObject: { arguments: ['pointer', 'i32', 'buffer', 'u32', 'pointer'], return: 'i32' },
    OpenProcess: { arguments: ['u32', 'i32', 'u32'], return: 'pointer' },
    AssignProcessToJobObject: { arguments: ['pointer', 'pointer'], return: 'i32' },
    TerminateJobObject: { arguments: ['pointer', 'u32'], return: 'i32' },
    CloseHandle: { arguments: ['pointer'], return: 'i32' },
  }).functions;
});
