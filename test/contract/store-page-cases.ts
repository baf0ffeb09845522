import type { Query, Test } from '../../lib/ports/store.ts'
import { type Note, note } from './store-samples.ts'

export const day = (n: number) => `2025-02-${String(n).padStart(2, '0')}`

/** a to h; b, c and d share a day, e has no rank, f, g and h have little but what an index needs. */
export const rows: Note[] = [
  note('a', {
    createdAt: day(1),
    rank: 3,
    title: 'Straße',
    labels: ['x', 'y'],
    done: true,
    body: 'Heavy ONE',
  }),
  note('b', {
    createdAt: day(2),
    rank: 1,
    title: '100% sure',
    summary: 'Ünïted',
    labels: ['x'],
    done: false,
  }),
  note('c', { createdAt: day(2), rank: 3, title: '100 percent', summary: 'a_b.*c', labels: ['y', 'z'] }),
  note('d', { createdAt: day(2), owner: 'bob', rank: 0.1, title: 'ΟΔΟΣ', dueAt: '2025-03-01' }),
  note('e', {
    createdAt: day(3),
    owner: 'bob',
    title: '',
    labels: [],
    dueAt: '2025-03-02',
    body: 'heavy two',
  }),
  note('f', { createdAt: day(4), owner: 'bob', rank: 20, state: 'shut', dueAt: '2025-03-02' }),
  note('g', { createdAt: day(5), owner: 'cy', rank: 3, state: 'shut' }),
  note('h', {
    createdAt: day(5),
    owner: 'cy',
    rank: -1,
    state: 'lost',
    title: 'it\'s "quoted" \\ \' OR 1=1',
  }),
]

type Selection = Pick<Query<Note>, 'index' | 'is' | 'where'>
/** What the indexes hold, oldest first. */
export const indexed: [string, Selection, string][] = [
  ['all rows', { index: 'newest' }, 'abcdefgh'],
  ['one partition', { index: 'byOwner', is: 'bob' }, 'def'],
  ['a partition with ties', { index: 'byOwner', is: 'ann' }, 'abc'],
  ['an empty partition', { index: 'byOwner', is: 'dan' }, ''],
  ['rows that have the field, and no others', { index: 'due' }, 'def'],
]

export const tests: [string, Test<Note>[], string][] = [
  ['one value', [{ field: 'state', in: ['shut'] }], 'fg'],
  ['any of several values', [{ field: 'state', in: ['shut', 'lost'] }], 'fgh'],
  ['none of no values', [{ field: 'state', in: [] }], ''],
  ['numbers', [{ field: 'rank', in: [3, 0.1] }], 'acdg'],
  ['no number for its text', [{ field: 'rank', in: ['3'] }], ''],
  ['booleans', [{ field: 'done', in: [false] }], 'b'],
  ['the key', [{ field: 'id', in: ['a', 'h', 'nobody'] }], 'ah'],
  ['the empty text', [{ field: 'title', in: [''] }], 'e'],
  ['a detail field', [{ field: 'body', in: ['heavy two'] }], 'e'],
  ['an item of a list', [{ field: 'labels', hasAll: ['x'] }], 'ab'],
  ['all items of a list', [{ field: 'labels', hasAll: ['y', 'x'] }], 'a'],
  ['an item nothing has', [{ field: 'labels', hasAll: ['x', 'w'] }], ''],
  ['no item', [{ field: 'labels', hasAll: [] }], 'abcdefgh'],
  ['a field that some rows have', [{ field: 'summary', exists: true }], 'bc'],
  ['a field that some rows lack', [{ field: 'rank', exists: false }], 'e'],
  ['a field of another index', [{ field: 'dueAt', exists: false }], 'abcgh'],
  ['a detail field that most rows lack', [{ field: 'body', exists: true }], 'ae'],
  ['an empty text, which is a value', [{ field: 'title', exists: false }], 'fg'],
  ['the key, which every row has', [{ field: 'id', exists: false }], ''],
  ['a value, or none', [{ field: 'rank', in: [null, 3, 0.1] }], 'acdeg'],
  ['no value, as one of a list', [{ field: 'rank', in: [null] }], 'e'],
  ['a range, ends included', [{ field: 'createdAt', from: day(2), to: day(4) }], 'bcdef'],
  ['a range without an end', [{ field: 'createdAt', from: day(4) }], 'fgh'],
  ['a range without a beginning', [{ field: 'createdAt', to: day(2) }], 'abcd'],
  ['a range of a field that some rows lack', [{ field: 'dueAt', to: '2025-03-01' }], 'd'],
  ['a range of texts, which no number is in', [{ field: 'rank', to: 'z' }], ''],
  ['part of a text', [{ fields: ['title'], contains: 'sure' }], 'b'],
  ['part of any of several texts', [{ fields: ['title', 'summary'], contains: 'u' }], 'bh'],
  ['another case', [{ fields: ['title'], contains: 'SURE' }], 'b'],
  ['another case of accented letters', [{ fields: ['summary'], contains: 'üNÏ' }], 'b'],
  ['another case of ß', [{ fields: ['title'], contains: 'STRASSE' }], 'a'],
  ['a capital ß', [{ fields: ['title'], contains: 'straẞe' }], 'a'],
  ['another case of a final sigma', [{ fields: ['title'], contains: 'οδοσ' }], 'd'],
  ['a percent sign, meant as such', [{ fields: ['title'], contains: '0%' }], 'b'],
  ['an underscore, meant as such', [{ fields: ['summary'], contains: 'a_b' }], 'c'],
  ['a pattern, meant as text', [{ fields: ['summary'], contains: '.*' }], 'c'],
  ['no single character for an underscore', [{ fields: ['title'], contains: '1_0' }], ''],
  ['quotes', [{ fields: ['title'], contains: `' OR 1=1` }], 'h'],
  ['a backslash', [{ fields: ['title'], contains: '\\' }], 'h'],
  ['part of a heavy text', [{ fields: ['title', 'body'], contains: 'heavy' }], 'ae'],
  ['texts only, no lists and numbers', [{ fields: ['labels', 'rank'], contains: 'x' }], ''],
  ['part of a key or an indexed text', [{ fields: ['id', 'owner'], contains: 'CY' }], 'gh'],
  [
    'several tests at once',
    [
      { field: 'rank', in: [3] },
      { field: 'labels', hasAll: ['y'] },
    ],
    'ac',
  ],
]

/** Rows in ascending order. A row without the field comes before all others; numbers are in order of their size. */
export const sorted: [string, Query<Note>['sort'] & string, Selection, string][] = [
  ['a number that ties and that one row lacks', 'rank', { index: 'newest' }, 'ehdbacgf'],
  ['a text that most rows lack', 'summary', { index: 'newest' }, 'adefghcb'],
  ['a field of the index', 'owner', { index: 'newest' }, 'abcdefgh'],
  ['the key', 'id', { index: 'newest' }, 'abcdefgh'],
  ['a number, in a partition', 'rank', { index: 'byOwner', is: 'bob' }, 'edf'],
  ['a number, of tested rows', 'rank', { index: 'newest', where: [{ field: 'rank', in: [3, 1] }] }, 'bacg'],
]
