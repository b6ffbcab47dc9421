import { AppError, configError } from '#contract/errors.ts';
import { type HubReference, hubReferenceText } from '../../config/hub-reference.ts';
import { type EncoderRole, encodersWithTokenizer, ROLES } from '../model/gliner-encoder.ts';
import { isTokenizerFile, refuseLarge, tokenizerFiles } from './choose-files.ts';
import {
  type FetchedRepository,
  fetchRepository,
  type FileChooser,
  type RepositoryRequest,
} from './fetch-repository.ts';

/** Tokenizers of a model that are in other repositories. */
export interface EncoderTokenizers {
  readonly tokenizer?: FetchedRepository;
  /** The tokenizer of the second encoder. */
  readonly labelTokenizer?: FetchedRepository;
}

/**
 * Downloads the tokenizers of a model that uses those of its encoders, which are in other repositories.
 * Weights of the encoders are never downloaded, because the model contains its own. `name` names the model
 * in messages. `openHub` is only called if there is something to download, because the hub's settings
 * require a home folder.
 */
export async function fetchEncoderTokenizers(
  folder: string,
  name: string,
  openHub: () => Omit<RepositoryRequest, 'reference'>,
): Promise<EncoderTokenizers> {
  const { text, labels } = encodersWithTokenizer(folder, name);
  return {
    ...(text ? { tokenizer: await fetchTokenizer('text', text, name, openHub) } : {}),
    ...(labels ? { labelTokenizer: await fetchTokenizer('labels', labels, name, openHub) } : {}),
  };
}

async function fetchTokenizer(
  role: EncoderRole,
  reference: HubReference,
  name: string,
  openHub: () => Omit<RepositoryRequest, 'reference'>,
): Promise<FetchedRepository> {
  try {
    const { facts: _, ...fetched } = await fetchRepository(
      { ...openHub(), reference },
      chooseTokenizer(role, reference),
    );
    return fetched;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, reason, retryAfterSeconds } = error;
    const { tokenizer, encoder } = ROLES[role];
    throw new AppError(
      code,
      `${name} has no ${tokenizer}, and the tokenizer of its ${encoder} ${reference.repository} is not available: ${message}`,
      { cause: error, reason, retryAfterSeconds },
    );
  }
}

/** The tokenizer's files, and config.json, which can name the tokenizer's class. */
const chooseTokenizer = (role: EncoderRole, reference: HubReference): FileChooser<undefined> =>
  async function* chooseFrom({ files }) {
    const byPath = new Map(files.map((file) => [file.path, file]));
    const config = byPath.get('config.json');
    const tokenizer = tokenizerFiles(byPath);
    if (!tokenizer.some(({ path }) => isTokenizerFile(path))) {
      throw configError(
        `${hubReferenceText(reference)} has no tokenizer files. Copy the tokenizer files of the ${ROLES[role].encoder} to ${ROLES[role].place}, and build that folder.`,
      );
    }
    const chosen = [...tokenizer, ...(config ? [config] : [])];
    for (const file of chosen) refuseLarge(file, reference.repository);
    yield chosen;
    return undefined;
  };
