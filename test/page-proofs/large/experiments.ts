import { choose, enter, follow, type Interaction, openFirst, press } from './interaction.ts';

/** Interactions with an experiment of many rows. */
export const experimentInteractions = (id: string): readonly Interaction[] => [
  {
    title: 'open the list, open the experiment',
    at: '#/account',
    actions: [follow('Experiments'), openFirst],
  },
  {
    title: 'rows: sort',
    at: `#/experiments/${id}`,
    actions: [press('Text'), press('Text'), press(/^Spread of/), press('Row'), press('Row')],
  },
  {
    title: 'rows: next and previous page',
    at: `#/experiments/${id}`,
    actions: [press('Next'), press('Next'), press('Previous'), press('First page')],
  },
  {
    title: 'rows: search, also without a match',
    at: `#/experiments/${id}`,
    actions: [
      enter('Search texts and answers', 'word96'),
      enter('Search texts and answers', 'word96 word3'),
      enter('Search texts and answers', 'no such text'),
      enter('Search texts and answers', ''),
    ],
  },
  {
    title: 'rows: show differences, errors',
    at: `#/experiments/${id}`,
    actions: [choose('Show', 'differences'), choose('Show', 'errors'), choose('Show', '')],
  },
  {
    title: 'open a row',
    at: `#/experiments/${id}`,
    actions: [press('Open row 3'), press('Close'), press('Open row 5'), press('Close')],
  },
  {
    title: 'plots: metric, label',
    at: `#/experiments/${id}`,
    actions: [choose('Label for the curves', 'NEGATIVE'), choose('Label for the curves', 'POSITIVE')],
  },
];
