import { describe, expect, it } from '@jest/globals'
import * as fc from 'fast-check'
import { createLexical } from '../../lib/memory/lexical.ts'
import { indexedAs, splitWords } from '../../lib/memory/words.ts'

const TEXTS = {
  deploy: { title: 'Deploying', text: 'The service is deployed to AWS by one command.' },
  rollback: { title: 'Rolling back', text: 'Deploy the version before; the database stays as it is.' },
  queue: { title: 'Queues', text: 'Messages wait in a queue until a worker takes them.' },
  cafe: { title: 'Lunch', text: 'The Café Zoë near the Straße has crème brûlée.' },
  japan: { title: '東京', text: '東京都のデータベースを更新する' },
  config: { title: 'Settings', text: 'Set QUEUE_CONCURRENCY to change how many tasks run.' },
} as const

const indexTerms = (text: string) => splitWords(text).flatMap(indexedAs)
const index = () =>
  createLexical(
    Object.entries(TEXTS).map(([id, { title, text }]) => ({ id, title, text, place: `${id}.md` })),
  )
const idsFor = (question: string) =>
  index()
    .search(question, 10)
    .map(({ id }) => id)

describe('a search by words', () => {
  it.each([
    ['a word of a heading', 'queues', 'queue'],
    ['a word of the text', 'database', 'rollback'],
    ['the beginning of a word', 'conc', 'config'],
    ['a slip of the pen', 'comand', 'deploy'],
    ['no accents', 'cafe zoe creme', 'cafe'],
    ['accents where there are none', 'dépłoyed service', 'deploy'],
    ['another spelling of a letter', 'strasse', 'cafe'],
    ['another case', 'WORKER', 'queue'],
    ['part of a name in code', 'concurrency', 'config'],
    ['letters without spaces between them', 'データベース', 'japan'],
    ['the name of a file', 'cafe.md', 'cafe'],
  ])('finds by %s: %s', (_what, question, id) => {
    expect(idsFor(question)[0]).toBe(id)
  })

  it('guesses only where that is cheap: for words of some length, and the first ones of a question', () => {
    const long = 'concurrency'.repeat(5).slice(0, 49)
    const found = createLexical([{ id: 'a', title: long, place: 'a.md', text: 'command' }])
    expect(found.search(`x${long.slice(1)}`, 1)).toEqual([])
    expect(found.search('comand', 1)).toHaveLength(1)
    const many = Array.from({ length: 12 }, (_, n) => `zzz${n}`).join(' ')
    expect(found.search(`${many} comand`, 1)).toEqual([])
  })

  it.each([
    ['guessed', 3, 'comand', 1],
    ['guessed', 30, 'comand', 0],
    ['looked for', 30, 'command', 1],
    ['looked for', 300, 'command', 0],
  ])(
    'of a name in code, words are %s only as far as that is cheap: after %d others',
    (_what, others, word, count) => {
      const found = createLexical([{ id: 'a', title: '', place: 'a.md', text: 'command' }])
      const name = [...Array.from({ length: others }, (_, n) => `zzzz${n}`), word].join('_')
      expect(found.search(name, 1)).toHaveLength(count)
    },
  )

  it.each([
    ['function words', 'what does it do with a queue', 'queue'],
    ['another form of a word', 'waiting', 'queue'],
    ['a name in code in another style', 'queueConcurrency', 'config'],
    ['a name in code without its seams', 'queueconcurrency', 'config'],
    ["letters in each other's place", 'datbaase', 'rollback'],
    ['two slips in a long word', 'cncurency', 'config'],
  ])('finds in spite of %s: %s', (_what, question, id) => {
    expect(idsFor(question)[0]).toBe(id)
  })

  it('takes a word that texts have for itself, and not for others that are written alike', () => {
    const lexical = createLexical([
      { id: 'cat', title: '', place: '', text: 'massage' },
      { id: 'cap', title: '', place: '', text: 'message messages' },
    ])
    expect(lexical.search('massages', 10).map(({ id }) => id)).toEqual(['cat'])
  })

  it('finds a name in code whole before its words', () => {
    const lexical = createLexical([
      { id: 'words', title: 'Read a file', place: '', text: 'read file read file' },
      { id: 'name', title: '', place: '', text: 'call readFile' },
    ])
    expect(lexical.search('readFile', 10).map(({ id }) => id)).toEqual(['name', 'words'])
    expect(lexical.search('read_file', 10)[0]?.id).toBe('name')
  })

  it('puts what has more of the words before what has fewer', () => {
    expect(idsFor('deploy the database version').slice(0, 2)).toEqual(['rollback', 'deploy'])
  })

  it('puts what has all of the words before what has one of them often', () => {
    const common = Array.from({ length: 10 }, (_, n) => ({ id: `c${n}`, title: '', place: '', text: 'beta' }))
    const lexical = createLexical([
      ...common,
      { id: 'often', title: 'alpha', place: 'alpha', text: 'alpha alpha' },
      { id: 'both', title: '', place: '', text: 'alpha beta' },
    ])
    expect(lexical.search('alpha beta', 2).map(({ id }) => id)).toEqual(['both', 'often'])
  })

  it('compares letters without case, accents and other forms', () => {
    expect(indexTerms('Café ZOË Straße ﬁne Ⅳ')).toEqual(['cafe', 'zoe', 'strass', 'fine', 'iv'])
    expect(indexTerms('snake_case-word 東京都 x')).toEqual([
      'snakecase',
      'snake',
      'case',
      'word',
      '東京',
      '京都',
      'x',
    ])
  })

  it('finds nothing for what is nowhere, and for no word at all', () => {
    for (const question of ['zzzzqqqq', '?!', '  ', '\u{1F600}']) expect(idsFor(question)).toEqual([])
  })

  it('gives what says more a score that is higher, and leaves out what is below the least', () => {
    const all = index().search('queue', 10)
    expect(all.map(({ id }) => id)).toEqual(['queue', 'config'])
    const [best, second] = all
    expect(best?.score).toBeGreaterThan(second?.score ?? 1)
    expect(index().search('queue', 10, best?.score)).toEqual([best])
    expect(index().search('queue', 1)).toEqual([best])
  })

  it('follows what comes and goes', () => {
    const lexical = index()
    lexical.remove('queue')
    lexical.remove('queue')
    expect(lexical.search('worker', 10)).toEqual([])
    lexical.add({ id: 'queue', title: '', place: '', text: 'a worker is back' })
    expect(lexical.search('worker', 10).map(({ id }) => id)).toEqual(['queue'])
  })

  it('takes any text for words, never for a pattern', () => {
    const lexical = index()
    for (const question of ['.*', '(a+)+$', '[', '\\', '^', 'a|b', '$&', '__proto__', 'constructor', '\0'])
      expect(() => lexical.search(question, 10)).not.toThrow()
    expect(idsFor('.*')).toEqual([])
    expect(idsFor('__proto__ constructor toString hasOwnProperty')).toEqual([])
  })

  it('has scores from 0 to 1 in descending order, whatever is asked', () => {
    const words = fc.array(fc.oneof(fc.constantFrom(...indexTerms(JSON.stringify(TEXTS))), fc.string()), {
      maxLength: 80,
    })
    const lexical = index()
    fc.assert(
      fc.property(words, (given) => {
        const scores = lexical.search(given.join(' '), 10).map(({ score }) => score)
        expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true)
        expect(scores).toEqual([...scores].sort((a, b) => b - a))
      }),
    )
  })
})
