import { AppError, configError } from '#contract/errors.ts';
import { hubReferenceText } from '../../config/hub-reference.ts';
import { encoderWithTokenizer } from '../model/gliner-encoder.ts';
import { isTokenizerFile, refuseLarge, tokenizerFiles } from './choose-files.ts';
import {
  type FetchedRepository,
  fetchRepository,
  type FileChooser,
  type RepositoryRequest,
} from './fetch-repository.ts';

/**
 * Downloads the tokenizer of a model that uses that of its encoder, which is in another repository.
 * Returns undefined for other models. Weights of the encoder are never downloaded, because the model
 * contains its own. `name` names the model in messages. `openHub` is only called if there is something to
 * download, because the hub's settings require a home folder.
 */
export async function fetchEncoderTokenizer(
  folder: string,
  name: string,
  openHub: () => Omit<RepositoryRequest, 'reference'>,
): Promise<FetchedRepository | undefined> {
  const reference = encoderWithTokenizer(folder, name);
  if (reference === undefined) return undefined;
  try {
    const { facts: _, ...fetched } = await fetchRepository(
      { ...openHub(), reference },
      chooseTokenizer(reference),
    );
    return fetched;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, reason, retryAfterSeconds } = error;
    throw new AppError(
      code,
      `${name} has no tokenizer, and the tokenizer of its encoder ${reference.repository} is not available: ${message}`,
      { cause: error, reason, retryAfterSeconds },
    );
  }
}

/** The tokenizer's files, and config.json, which can name the tokenizer's class. */
const chooseTokenizer = (reference: RepositoryRequest['reference']): FileChooser<undefined> =>
  async function* chooseFrom({ files }) {
    const byPath = new Map(files.map((file) => [file.path, file]));
    const config = byPath.get('config.json');
    const tokenizer = tokenizerFiles(byPath);
    if (!tokenizer.some(({ path }) => isTokenizerFile(path))) {
      throw configError(
        `${hubReferenceText(reference)} has no tokenizer files. Copy the tokenizer files of the encoder to a folder with the files of the model, and build that folder.`,
      );
    }
    const chosen = [...tokenizer, ...(config ? [config] : [])];
    for (const file of chosen) refuseLarge(file, reference.repository);
    yield chosen;
    return undefined;
  };
