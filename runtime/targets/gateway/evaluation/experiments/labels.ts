import { searchTextOf } from '../../store/search.ts';
import { storableText } from '../../store/storable-text.ts';

/** The name, description and tags that users give to an experiment or workflow. */
interface Labels {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
}

/** The label columns, with the text that searches compare with. */
export const labelColumns = ({ name, description, tags }: Labels) => ({
  name: storableText(name),
  description: storableText(description),
  tags: storableText(JSON.stringify(tags)),
  search_text: searchTextOf(name, description),
});

/** Only the labels, for the audit log. */
export const labelsAlone = ({ name, description, tags }: Labels): Labels => ({ name, description, tags });
