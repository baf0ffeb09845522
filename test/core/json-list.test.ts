import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { createListCutter } from '../../lib/core/json-list.ts'

const BOUNDS = { mostItems: 1_000, mostBytesAround: 10_000 }

/** What is cut from a text that comes in pieces of so many bytes. */
const cut = (text: string, size = 3, bounds = BOUNDS) => {
  const bytes = Buffer.from(text)
  const cutter = createListCutter('tasks', bounds)
  for (let at = 0; at < bytes.length; at += size) cutter.push(bytes.subarray(at, at + size))
  const { around, items, count } = cutter.end()
  return { around: String(around), items: [...items()].map(String), count }
}

describe('a list that is cut out of its text', () => {
  it('has its items, and leaves the rest, wherever the pieces part', () => {
    const value = fc.jsonValue({ maxDepth: 3 })
    const around = fc.dictionary(
      fc.string().filter((name) => name !== 'tasks' && name !== '__proto__'),
      value,
    )
    fc.assert(
      fc.property(fc.array(value), around, fc.nat(40), fc.nat(4), (tasks, rest, size, spaces) => {
        const text = JSON.stringify({ ...rest, tasks, last: { tasks: [1] } }, undefined, spaces)
        const { around: left, items, count } = cut(text, size + 1)
        expect(items.map((item) => JSON.parse(item))).toEqual(JSON.parse(JSON.stringify(tasks)))
        expect(count).toBe(tasks.length)
        expect(JSON.parse(left)).toEqual(
          JSON.parse(JSON.stringify({ ...rest, tasks: [], last: { tasks: [1] } })),
        )
      }),
    )
  })

  it.each<[text: string, items: string[], around: string]>([
    ['{"tasks":[]}', [], '{"tasks":[]}'],
    ['{"tasks" : [ 1 , 2 ] }', ['1 ', '2 '], '{"tasks" : [] }'],
    ['{"tasks":[1],"tasks":[2]}', ['1', '2'], '{"tasks":[],"tasks":[]}'],
    ['{"tasks":["]","\\"]"]}', ['"]"', '"\\"]"'], '{"tasks":[]}'],
    ['{"a":"tasks","b":[1]}', [], '{"a":"tasks","b":[1]}'],
    ['{"a":{"tasks":[1]}}', [], '{"a":{"tasks":[1]}}'],
    ['{"task":[1],"taskss":[1],"\\u0074asks":[1]}', [], '{"task":[1],"taskss":[1],"\\u0074asks":[1]}'],
    ['["tasks",[1]]', [], '["tasks",[1]]'],
    // What is no JSON stays none, in an item or around the list.
    ['{"tasks":[1,]}', ['1', ''], '{"tasks":[]}'],
    ['{"tasks":[,]}', ['', ''], '{"tasks":[]}'],
    ['{"tasks":[1 2]}', ['1 2'], '{"tasks":[]}'],
    ['{"tasks":[{"a":1', [], '{"tasks":['],
    ['{"tasks":[1]', ['1'], '{"tasks":[]'],
    ['', [], ''],
  ])('is told from everything else: %s', (text, items, around) => {
    for (const size of [1, 4, 1_000]) expect(cut(text, size)).toMatchObject({ items, around })
  })

  it('gives up its items as they come, and keeps nothing of them', () => {
    const item = { text: 'x'.repeat(1_000) }
    const text = Buffer.from(JSON.stringify({ version: '1.0', tasks: Array(500).fill(item), count: 500 }))
    const cutter = createListCutter('tasks', BOUNDS)
    expect(String(cutter.before())).toBe('')
    const taken: string[] = []
    for (let at = 0; at < text.length; at += 1_500) {
      cutter.push(text.subarray(at, at + 1_500))
      const some = cutter.take().map(String)
      expect(some.length).toBeLessThanOrEqual(2)
      taken.push(...some)
    }
    expect(taken.map((one) => JSON.parse(one))).toEqual(Array(500).fill(item))
    expect(String(cutter.before())).toBe('{"version":"1.0","tasks":[')
    const { around, count, items } = cutter.end()
    expect({ around: String(around), count, left: [...items()] }).toEqual({
      around: '{"version":"1.0","tasks":[],"count":500}',
      count: 500,
      left: [],
    })
  })

  it.each<[what: string, text: string, code: string]>([
    ['too many items', `{"tasks":[${Array(1_001).fill('{}')},`, 'too_many_items'],
    ['too much beside it', `{"a":"${'x'.repeat(10_000)}`, 'body_too_large'],
    ['too much behind it', `{"tasks":[${'{}'}],"a":"${'x'.repeat(10_000)}`, 'body_too_large'],
    ['an item that is too deep', `{"tasks":[${'['.repeat(63)}`, 'json_too_deep'],
  ])('is refused as soon as there is %s', (_what, text, code) => {
    expect(() => cut(text)).toThrow(expect.objectContaining({ code }))
  })
})
