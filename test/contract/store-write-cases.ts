import type { Update } from '../../lib/ports/store.ts'
import type { Note } from './store-samples.ts'

type Changed = Omit<Update<Note>, 'update' | 'key'>

/** What a row `{ state: 'open', rank: 1, done: false }` does with a condition. */
export const conditions: [string, Changed['when'], boolean][] = [
  ['no condition', undefined, true],
  ['an equal text', { state: 'open' }, true],
  ['another text', { state: 'shut' }, false],
  ['an equal number', { rank: 1 }, true],
  ['another number', { rank: 2 }, false],
  ['an equal boolean', { done: false }, true],
  ['another boolean', { done: true }, false],
  ['any of several', { state: ['shut', 'open'] }, true],
  ['none of several', { state: ['shut', 'lost'] }, false],
  ['a list of nothing', { state: [] }, false],
  ['an absent field that should be', { dueAt: null }, true],
  ['an absent text that should be, which storage may keep within another field', { title: null }, true],
  ['a present field that should be absent', { state: null }, false],
  ['an absent field that should have a value', { dueAt: '2025' }, false],
  ['absent or a value, on an absent field', { dueAt: [null, '2025'] }, true],
  ['absent or a value, on the value', { state: [null, 'open'] }, true],
  ['absent or a value, on another value', { state: [null, 'shut'] }, false],
  ['two fields that both hold', { state: 'open', rank: 1 }, true],
  ['two fields of which one holds', { state: 'open', rank: 2 }, false],
  ['a detail field that holds', { body: 'text' }, true],
  ['a detail field that does not', { body: 'other' }, false],
]

/** What becomes of `{ title: 'a', rank: 1, body: 'text', edits: 1 }`. */
export const changes: [string, Changed, Partial<Note>][] = [
  ['sets a field', { set: { title: 'b' } }, { title: 'b', rank: 1, body: 'text', edits: 1 }],
  ['adds to a number', { add: { rank: 2 } }, { title: 'a', rank: 3, body: 'text', edits: 1 }],
  ['takes from a number', { add: { rank: -1.5 } }, { title: 'a', rank: -0.5, body: 'text', edits: 1 }],
  ['removes a field', { unset: ['title'] }, { rank: 1, body: 'text', edits: 1 }],
  ['removes what is absent', { unset: ['dueAt'] }, { title: 'a', rank: 1, body: 'text', edits: 1 }],
  ['sets a detail field', { set: { body: 'b' } }, { title: 'a', rank: 1, body: 'b', edits: 1 }],
  ['adds to a detail field', { add: { edits: 1 } }, { title: 'a', rank: 1, body: 'text', edits: 2 }],
  [
    'leaves a field that has a value',
    { setIfAbsent: { title: 'b' } },
    { title: 'a', rank: 1, body: 'text', edits: 1 },
  ],
  [
    'sets an absent field',
    { setIfAbsent: { summary: 's' } },
    { title: 'a', rank: 1, summary: 's', body: 'text', edits: 1 },
  ],
  [
    'sets the absent fields of an index',
    { setIfAbsent: { dueAt: '2025', state: 'shut' } },
    { title: 'a', rank: 1, dueAt: '2025', body: 'text', edits: 1 },
  ],
  ['removes detail', { unset: ['body', 'edits'] }, { title: 'a', rank: 1 }],
  [
    'does all at once',
    { set: { title: 'b', files: ['f'] }, add: { rank: 1 }, unset: ['edits'] },
    { title: 'b', rank: 2, body: 'text', files: ['f'] },
  ],
]
