import { searchTextOf } from '../../store/search.ts';
import { storableText } from '../../store/storable-text.ts';

/** What users call an experiment or a workflow. */
interface Labels {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
}

/** The columns of labels, with the text that a search compares with. */
export const labelColumns = ({ name, description, tags }: Labels) => ({
  name: storableText(name),
  description: storableText(description),
  tags: storableText(JSON.stringify(tags)),
  search_text: searchTextOf(name, description),
});

/** The labels alone, for the audit log. */
export const labelsAlone = ({ name, description, tags }: Labels): Labels => ({ name, description, tags });
