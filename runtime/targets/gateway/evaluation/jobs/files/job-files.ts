import { resolve } from 'node:path';
import type { Kysely } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { Schema } from '../../../store/schema.ts';
import type { Job } from '../job.ts';
import { encodersOf, type UsedEncoder } from './encoders-of.ts';
import { createOpenFiles, type FileFacts, type OpenFile } from './open-file.ts';
import type { Owner } from '../../../shared/owner.ts';

/** An executable that a worker needs on its node. */
interface JobFile extends FileFacts {
  /** The gateway itself, as the worker's program, or an encoder. */
  readonly role: 'program' | 'encoder';
  /** The job's name for an encoder: its path, or for example `encoder:sentiment`. */
  readonly name: string;
  /** Path on the gateway. A node with a shared folder may have the same file there. */
  readonly path: string;
}

/** Executables for jobs that run on other machines, identified by SHA-256. */
export interface JobFiles {
  /**
   * A job's files. The encoders in the first listing stay the same until the job restarts at its first row,
   * so that no job mixes outputs of two model versions. Throws an InputError if a file cannot be read.
   */
  list(job: JobId): Promise<readonly JobFile[]>;
  /**
   * Opens a job's file. Throws a ConflictError if the file was replaced, a NotFoundError if the job has no
   * such file.
   */
  open(job: JobId, sha256: string): Promise<OpenFile>;
}

type JobId = Pick<Job, 'id' | 'spec' | 'owner'>;

export interface JobFilesParts {
  readonly db: Kysely<Schema>;
  /** Path of the gateway's executable; undefined if it runs from source. */
  readonly program: string | undefined;
  readonly trusts: (owner: Owner | null) => boolean;
  /**
   * Path of a configured encoder; undefined if the gateway must call it, because it has a price or does not run
   * as an executable of the gateway.
   */
  readonly encoderPath: (model: string) => Promise<string | undefined>;
}

export function createJobFiles({ db, program, trusts, encoderPath }: JobFilesParts): JobFiles {
  const openFile = createOpenFiles();
  const factsOf = async (path: string): Promise<FileFacts> => {
    const { handle, ...facts } = await openFile(path);
    await handle.close();
    return facts;
  };
  const pathOf = async (used: UsedEncoder, owner: Owner | null): Promise<string | undefined> => {
    if (used.kind === 'named') return await encoderPath(used.model);
    // Without permission, the worker rejects the file.
    return trusts(owner) ? resolve(used.path) : undefined;
  };
  const currentEncoders = async ({ spec, owner }: JobId): Promise<readonly JobFile[]> => {
    const files: JobFile[] = [];
    for (const used of encodersOf(spec)) {
      const path = await pathOf(used, owner);
      const name = used.kind === 'file' ? used.path : used.model;
      if (path !== undefined) files.push({ role: 'encoder', name, path, ...(await factsOf(path)) });
    }
    return files;
  };
  const storedEncoders = async (id: string): Promise<readonly JobFile[] | undefined> => {
    const jobs = db.selectFrom('gateway_jobs').select('files').where('id', '=', id);
    const { files } = await jobs.executeTakeFirstOrThrow();
    return files === null ? undefined : (parseJsonText(files) as readonly JobFile[]);
  };
  const encoders = async (job: JobId): Promise<readonly JobFile[]> => {
    const stored = await storedEncoders(job.id);
    if (stored) return stored;
    const current = await currentEncoders(job);
    // If another worker was first, its file versions apply.
    await db
      .updateTable('gateway_jobs')
      .set({ files: JSON.stringify(current) })
      .where('id', '=', job.id)
      .where('files', 'is', null)
      .execute();
    return (await storedEncoders(job.id)) ?? current;
  };
  return {
    async list(job) {
      const own: readonly JobFile[] =
        program === undefined
          ? []
          : [{ role: 'program', name: 'gateway', path: program, ...(await factsOf(program)) }];
      return [...own, ...(await encoders(job))];
    },
    async open(job, sha256) {
      const wanted = (await encoders(job)).find((file) => file.sha256 === sha256);
      const path = wanted?.path ?? program;
      if (path === undefined) throw noFile(sha256);
      const file = await openFile(path);
      if (file.sha256 === sha256) return file;
      await file.handle.close();
      throw wanted ? changed(wanted, file) : noFile(sha256);
    },
  };
}

const noFile = (sha256: string): AppError =>
  new AppError('NotFoundError', `The job has no file with the SHA-256 ${sha256}.`, {
    reason: 'file_not_found',
  });

const changed = ({ path, sha256: before }: JobFile, { sha256: now }: FileFacts): AppError =>
  new AppError(
    'ConflictError',
    `\`${path}\` has changed since the job started: its SHA-256 is ${now}, not ${before}. Restore the file, or create a new workflow with the new version.`,
    { reason: 'file_changed' },
  );
